// Pages that stay up to date: a stream of the server's events, kept open while somebody looks.
import { byId } from "./dom.js";
import { getJSON } from "./http.js";

const retryAfter = 3000; // ms until a refused stream is asked for again

// follow opens a stream of events and hands their data to the handlers by name. It is closed while the page is hidden, since a
// browser grants a server few connections, and opened anew afterwards; it comes back by itself where the server was away.
// #live tells how it stands, and refused(text) why the server does not give it.
export function follow(address, handlers, refused) {
  let source, again;

  function tell(state, text) {
    byId("live").dataset.state = state;
    byId("live").textContent = text;
  }

  function open() {
    clearTimeout(again);
    if (source || document.hidden) return;
    source = new EventSource(address);
    source.onopen = () => { tell("on", "live"); refused(""); };
    source.onerror = () => {
      tell("off", "connection lost; trying again");
      if (source.readyState !== EventSource.CLOSED) return; // the browser tries again
      close();
      explain();
      again = setTimeout(open, retryAfter);
    };
    for (const [name, handle] of Object.entries(handlers)) {
      source.addEventListener(name, (event) => handle(JSON.parse(event.data)));
    }
  }

  function close() {
    if (source) source.close();
    source = undefined;
  }

  // explain asks for the same without a stream: a stream does not tell why it was refused.
  function explain() {
    getJSON(address.replace("/events", "")).then(() => refused(""), (error) => { tell("off", "trying again"); refused(error.message); });
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) close();
    else open();
  });
  open();
}
