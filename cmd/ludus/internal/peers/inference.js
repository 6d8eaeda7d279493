// Runs an ONNX model on one thread. Each line of input is a request, each line of output its answer, all in JSON:
//
//	{"model": BASE64, "input": NAME, "shape": [C, H, W], "batch": B}    {} or {"missing": PACKAGE}
//	{"seconds": S}              runs batches for that long              {"rows": R, "seconds": S}
//	{"tensors": [B*C*H*W], "shape": [C, H, W], "figures": [[CELL, ...], ...]}    runs one batch    {OUTPUT: [...], ...}
const { createInterface } = require("node:readline");

let ort, session, model;

function load() {
  try {
    return require("onnxruntime-node");
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
  }
}

// feed makes the model's input of whole tensors of the given shape.
function feed(tensors, shape) {
  const batch = tensors.length / shape.reduce((a, b) => a * b);
  return { [model.input]: new ort.Tensor("float32", Float32Array.from(tensors), [batch, ...shape]) };
}

async function open(request) {
  ort = load();
  if (!ort) return { missing: "onnxruntime-node" };
  model = request;
  session = await ort.InferenceSession.create(Buffer.from(model.model, "base64"), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
  });
  return {};
}

async function measure(seconds) {
  const size = model.batch * model.shape.reduce((a, b) => a * b);
  const input = feed(Array.from({ length: size }, (_, i) => (i * 7) % 2), model.shape); // planes of zeros and ones
  const start = performance.now();
  let rows = 0;
  let passed = 0;
  while (passed < seconds) {
    await session.run(input);
    rows += model.batch;
    passed = (performance.now() - start) / 1000;
  }
  return { rows, seconds: passed };
}

async function evaluate({ tensors, shape, figures }) {
  const feeds = feed(tensors, shape);
  if (session.inputNames.includes("figures")) {
    const cells = shape[1] * shape[2];
    const matrix = new Float32Array(cells * figures.length);
    figures.forEach((figure, i) => figure.forEach((cell) => (matrix[cell * figures.length + i] = 1)));
    feeds.figures = new ort.Tensor("float32", matrix, [cells, figures.length]);
  }
  const outputs = await session.run(feeds);
  return Object.fromEntries(Object.entries(outputs).map(([name, tensor]) => [name, Array.from(tensor.data)]));
}

async function main() {
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    const answer = request.model ? open(request) : request.tensors ? evaluate(request) : measure(request.seconds);
    console.log(JSON.stringify(await answer));
  }
}

main().catch((error) => {
  console.error(error.message); // the last line is what our side quotes
  process.exit(1);
});
