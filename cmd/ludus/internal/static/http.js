// Requests to the server, and the engine behind it.

const maxRetries = 5; // of a request to a busy server

// engineOverHTTP returns the engine of a server: functions describe, position, choose, analyze, dial, book, load and save. Each takes a request and an
// optional AbortSignal. onWait(text) is called when the server is busy, and with "" once it has answered.
export function engineOverHTTP(base = "/api", onWait = () => {}) {
  const call = (op) => (body, signal) => post(`${base}/${op}`, body, signal, onWait);
  return { describe: call("describe"), position: call("position"), choose: call("choose"), analyze: call("analyze"), dial: call("dial"), book: call("book"), load: call("load"), save: call("save") };
}

// getJSON makes a GET request.
export async function getJSON(path, signal) { return parse(await request(path, { signal })); }

// getNewer is getJSON for a reply that may not have changed since the one with the given ETag: then it returns undefined, otherwise
// the reply and its ETag.
export async function getNewer(path, etag) {
  const response = await request(path, etag && { headers: { "If-None-Match": etag } });
  if (response.status === 304) return undefined;
  return { reply: await parse(response), etag: response.headers.get("ETag") };
}

async function post(path, body, signal, onWait) {
  const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal };
  for (let times = 0; ; times++) {
    const response = await request(path, options);
    if (response.status !== 503 || times === maxRetries) {
      if (times > 0) onWait("");
      return parse(response);
    }
    onWait("The server is busy; trying again …");
    await wait(Number(response.headers.get("Retry-After")) || 1, signal);
  }
}

// request is fetch with a helpful error if the server does not answer.
async function request(path, options) {
  try {
    return await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. Is ludus serve still running?");
  }
}

// parse returns a response's JSON, or throws the server's error, with its status.
async function parse(response) {
  const reply = await response.json().catch((error) => { if (error.name === "AbortError") throw error; return null; });
  if (response.ok && reply !== null) return reply;
  throw Object.assign(new Error(reply?.error || `The server answered ${response.status} ${response.statusText}`), { status: response.status });
}

// wait waits for some seconds; the signal can abort it.
function wait(seconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, 1000 * seconds);
    signal?.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
  });
}
