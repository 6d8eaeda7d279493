// Links to parts of a page whose content arrives after it: the browser scrolls only once, before the part is there.

const longest = 10000; // ms for which a page may load

// followFragment scrolls to the element that the address names, such as #games, and again whenever the page grows, until the reader
// does anything.
export function followFragment() {
  let following = location.hash.length > 1;
  const go = () => { if (following) document.getElementById(location.hash.slice(1))?.scrollIntoView({ behavior: "instant" }); };
  const stop = () => { following = false; };
  for (const event of ["wheel", "pointerdown", "touchstart", "keydown"]) addEventListener(event, stop, { passive: true });
  setTimeout(stop, longest);
  new ResizeObserver(go).observe(document.body);
  go();
}
