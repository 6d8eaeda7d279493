// Live pages: a stream of server-sent events, open while the page is visible.
import { byId } from "./dom.js";
import { getJSON } from "./http.js";

const retryAfter = 3000; // ms until a rejected stream is requested again

// subscribe opens a stream and passes the data of its events to handlers by event name. The stream is closed while the page is
// hidden, since browsers allow few connections per server. #live shows its state. onError(text) says why the server rejects the
// stream, and is called with "" once it works. What the server does not know is not requested again; then missing is true in
// onError(text, missing).
export function subscribe(address, handlers, onError) {
  let source, again;

  function showState(state, text) {
    byId("live").dataset.state = state;
    byId("live").textContent = text;
  }

  function open() {
    clearTimeout(again);
    if (source || document.hidden) return;
    source = new EventSource(address);
    source.onopen = () => { showState("on", "live"); onError(""); };
    source.onerror = () => {
      showState("off", "connection lost; trying again");
      if (source.readyState !== EventSource.CLOSED) return; // the browser reconnects
      close();
      explain();
      again = setTimeout(open, retryAfter);
    };
    for (const [name, handle] of Object.entries(handlers)) {
      source.addEventListener(name, (event) => handle(JSON.parse(event.data)));
    }
  }

  function close() {
    source?.close();
    source = undefined;
  }

  // explain makes the same request without a stream: an EventSource does not say why it was rejected.
  function explain() {
    getJSON(address.replace("/events", "")).then(() => onError(""), (error) => {
      const missing = error.status === 404;
      if (missing) clearTimeout(again);
      showState("off", missing ? "" : "trying again");
      onError(error.message, missing);
    });
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) close();
    else open();
  });
  open();
}
