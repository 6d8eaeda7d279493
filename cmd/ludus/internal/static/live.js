// Live pages: the server is asked again and again while the page is visible.
import { byId } from "./dom.js";
import { getNewer } from "./http.js";

const askEvery = 500; // ms

// follow passes the reply to show, and again whenever it has changed. #live shows whether the server answers. onError(text,
// missing) says why it does not, and is called with "" once it does again. What the server does not know is not requested again;
// then missing is true.
export function follow(address, show, onError) {
  let etag, state, busy = false, unknown = false;

  function report(text, missing = false) {
    if (text === state) return;
    state = text;
    byId("live").dataset.state = text ? "off" : "on";
    byId("live").textContent = !text ? "live" : missing ? "" : "connection lost; trying again";
    onError(text, missing);
  }

  async function ask() {
    if (busy || unknown || document.hidden) return;
    busy = true;
    const newer = await getNewer(address, etag).catch((error) => error);
    busy = false;
    if (newer instanceof Error) {
      unknown = newer.status === 404;
      report(newer.message, unknown);
      return;
    }
    report("");
    if (!newer) return;
    etag = newer.etag;
    show(newer.reply);
  }

  document.addEventListener("visibilitychange", ask);
  setInterval(ask, askEvery);
  ask();
}
