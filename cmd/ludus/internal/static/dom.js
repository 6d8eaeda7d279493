// Creating elements, and light and dark colours.

const root = document.documentElement;

export const byId = (id) => document.getElementById(id);

// make appends a new element to parent, in parent's namespace, and returns it.
export function make(parent, name, attributes = {}, text) {
  const child = document.createElementNS(parent.namespaceURI, name);
  for (const [key, value] of Object.entries(attributes)) child.setAttribute(key, value);
  if (text !== undefined) child.textContent = text;
  parent.appendChild(child);
  return child;
}

// makeSVG appends a new svg element to an HTML element and returns it.
export function makeSVG(parent, attributes = {}) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [key, value] of Object.entries(attributes)) svg.setAttribute(key, value);
  parent.appendChild(svg);
  return svg;
}

// ---- what the browser remembers

// remember stores a text under a key in localStorage, which some browsers forbid for file: pages.
export function remember(key, text) {
  try { localStorage.setItem(key, text); } catch { /* forgotten, then */ }
}

// remembered returns the text stored under a key, or null.
export function remembered(key) {
  try { return localStorage.getItem(key); } catch { return null; }
}

// ---- light and dark

const systemDark = matchMedia("(prefers-color-scheme: dark)");
const redraws = new Set(); // functions that redraw canvases, whose colours no style sheet can change
const themeKey = "ludus-theme"; // in localStorage

export const isDark = () => (root.dataset.theme || (systemDark.matches ? "dark" : "light")) === "dark";

// onTheme calls redraw after every change of colours. It returns a function that ends this.
export function onTheme(redraw) {
  redraws.add(redraw);
  return () => redraws.delete(redraw);
}

function showTheme() {
  byId("theme").textContent = isDark() ? "Light" : "Dark";
  byId("theme").setAttribute("aria-label", `switch to ${isDark() ? "light" : "dark"} colours`);
  for (const redraw of redraws) redraw();
}

// startTheme applies the stored theme, or else the system's, and makes the button #theme switch it.
export function startTheme() {
  const theme = remembered(themeKey);
  if (theme === "dark" || theme === "light") root.dataset.theme = theme;
  showTheme();
  byId("theme").addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    remember(themeKey, root.dataset.theme);
    showTheme();
  });
  systemDark.addEventListener("change", showTheme);
}

// colour resolves a CSS custom property, for use on a canvas.
export function colour(name) {
  const probe = make(document.body, "span", { hidden: "" });
  probe.style.color = `var(--${name})`;
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

export const faint = (rgb) => rgb.replace(/^rgb\((.*)\)$/, "rgba($1, 0.18)");
