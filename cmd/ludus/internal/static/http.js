// The engine behind a server: every request is one to /api/OP.

const patience = 5; // times that a busy server is asked again

// engineOverHTTP answers describe, position, choose and analyze by a server at base. Each takes its request and, if it may be
// given up, an AbortSignal. wait(text) is told when the server is busy, and with "" when it has answered after all.
export function engineOverHTTP(base = "/api", wait = () => {}) {
  const ask = (op) => (request, signal) => post(`${base}/${op}`, request, signal, wait);
  return { describe: ask("describe"), position: ask("position"), choose: ask("choose"), analyze: ask("analyze") };
}

// getJSON asks a server for a reply that has no request.
export async function getJSON(path, signal) { return read(await reach(path, { signal })); }

async function post(path, request, signal, wait) {
  const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(request), signal };
  for (let times = 0; ; times++) {
    const response = await reach(path, options);
    if (response.status !== 503 || times === patience) {
      if (times > 0) wait("");
      return read(response);
    }
    wait("The server is busy; asking again …");
    await later(Number(response.headers.get("Retry-After")) || 1, signal);
  }
}

// reach fetches; where nobody answers, the browser's own words say little.
async function reach(path, options) {
  try {
    return await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. Is ludus serve still running?");
  }
}

// read is a response's JSON, or an error with the server's message.
async function read(response) {
  const reply = await response.json().catch(() => null);
  if (response.ok && reply !== null) return reply;
  throw new Error(reply?.error || `The server answered ${response.status} ${response.statusText}`);
}

// later waits for some seconds, unless the signal ends it.
function later(seconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, 1000 * seconds);
    signal?.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
  });
}
