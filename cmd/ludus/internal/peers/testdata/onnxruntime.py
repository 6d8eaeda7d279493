"""TEST SUPPORT ONLY, not ONNX Runtime for Python: stands in for that package where it is not installed, so that programs
that use it can be tested unchanged. A session passes each run on to ONNX Runtime in a child process, by Node's package
onnxruntime-node. Metadata are read by the package onnx. Of the real package's interface only what is below is here, and
all tensors are of type float32.
"""
import json
import subprocess

import numpy as np
import onnx

SCRIPT = """
const ort = require("onnxruntime-node");
async function main() {
  const session = await ort.InferenceSession.create(process.argv[1]);
  const feeds = {}; // an input that does not come again is the same as before
  for await (const line of require("node:readline").createInterface({ input: process.stdin })) {
    for (const [name, { dims, data }] of Object.entries(JSON.parse(line))) {
      feeds[name] = new ort.Tensor("float32", Float32Array.from(data), dims);
    }
    const outputs = Object.entries(await session.run(feeds));
    console.log(JSON.stringify(Object.fromEntries(outputs.map(([name, t]) => [name, { dims: t.dims, data: [...t.data] }]))));
  }
}
main().catch((error) => { console.error(error.message); process.exit(1); });
"""


class ModelMetadata:
    def __init__(self, model):
        self.custom_metadata_map = {entry.key: entry.value for entry in model.metadata_props}
        self.producer_name = model.producer_name


class InferenceSession:
    def __init__(self, path):
        self._sent = {}  # by name: the tensors of the last run
        self._metadata = ModelMetadata(onnx.load(path))
        self._node = subprocess.Popen(
            ["node", "--eval", SCRIPT, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def get_modelmeta(self):
        return self._metadata

    def run(self, output_names, input_feed):
        feeds = {}
        for name, tensor in input_feed.items():
            if tensor.dtype != np.float32:
                raise TypeError(f"{name} is of type {tensor.dtype}; the model takes float32")
            if tensor is not self._sent.get(name):
                feeds[name] = {"dims": tensor.shape, "data": tensor.ravel().tolist()}
        self._sent = input_feed
        self._node.stdin.write(json.dumps(feeds) + "\n")
        self._node.stdin.flush()
        outputs = json.loads(self._node.stdout.readline())
        names = output_names if output_names is not None else list(outputs)
        return [np.array(outputs[name]["data"], np.float32).reshape(outputs[name]["dims"]) for name in names]
