// The page of the reviews of games.
import { byId, make, startTheme } from "./dom.js";
import { Hand, handLayout } from "./hand.js";
import { showOverview } from "./overview.js";
import { Quiz } from "./quiz.js";
import { explained, isMistake, knownAnswer, showMistakes, showSummary } from "./review.js";
import { GameViewer } from "./viewer.js";

const { description, games } = JSON.parse(byId("data").textContent), { actions } = description;
const viewer = new GameViewer({
  tools: `<div id="summary"></div><div id="quiz" class="card" role="region" aria-label="Find the better move" hidden></div>${handLayout}<p id="mistake" role="status"></p>`,
  actions: `<div id="mistakes"></div>`, onPosition: () => { hand.drop(); draw(); },
});
let quiz;

const note = byId("mistake"), showNote = (text) => { note.textContent = text; };
const hand = new Hand({
  description, draw, showNote,
  get board() { return viewer.board; },
  get position() { return { ...viewer.position, legal: Object.keys(viewer.position.values ?? {}) }; },
  get blocked() { return viewer.ply === quiz.ply ? undefined : ""; },
  play: (move) => quiz.answer(move),
  clearNote: (text) => { if (note.textContent === text) showNote(""); },
}, []);

// draw draws what a position has beside what the viewer draws; in a quiz that hides the better move.
function draw() {
  if (!quiz) {
    showNote(viewer.position.mistake ?? "");
    return;
  }
  const [played, better] = quiz.marksAt(viewer.ply).map((move) => actions[move]);
  byId("verb").hidden = hand.kinds.length < 2 || viewer.ply !== quiz.ply;
  hand.drawButtons();
  hand.show({ last: viewer.moves.slice(-1).map((move) => actions[move]), played, hint: better });
}

function openGame({ replay, review }) {
  endQuiz();
  const mistakes = review.moves.filter(isMistake), [summary, list] = ["summary", "mistakes"].map(byId);
  for (const mistake of mistakes) Object.assign(replay.positions[mistake.ply - 1], { better: mistake.best, mistake: explained(mistake), values: mistake.values });
  for (const box of [summary, list]) box.replaceChildren();
  showSummary(summary, review);
  for (const { player } of review.sides) {
    const own = mistakes.filter((mistake) => mistake.player === player);
    if (own.length > 0) make(summary, "button", { type: "button" }, `Find the better move: ${player}`).addEventListener("click", () => startQuiz(own));
  }
  make(list, "h2", {}, "Mistakes");
  showMistakes(list, review, { show: ({ ply }) => { viewer.go(ply - 1); byId("board").scrollIntoView({ block: "nearest" }); } });
  viewer.open(replay);
}

// startQuiz lets people look for the better move in the positions of mistakes.
function startQuiz(mistakes) {
  quiz = new Quiz(byId("quiz"), mistakes, {
    show: (ply) => { viewer.go(ply); viewer.board.focus(); },
    weigh: knownAnswer, mark: draw,
    end: () => { endQuiz(); viewer.go(viewer.last); byId("viewer").focus(); },
  });
  setUp((cell, pointed) => hand.press(cell, pointed));
  showNote("");
  quiz.begin();
}

function endQuiz() {
  quiz = undefined;
  setUp();
}

// setUp makes the board, to play on if onCell is given, and shows either the quiz or what would give away its answers.
function setUp(onCell) {
  viewer.makeBoard(onCell);
  for (const id of ["quiz", "verb", "extras"]) byId(id).hidden = !quiz;
  for (const id of ["summary", "mistakes", "value", "values", "moves", "note"]) byId(id).hidden = Boolean(quiz);
}

startTheme();
viewer.describe(description);
games.forEach(({ replay: { title } }, i) => make(byId("game"), "option", { value: i }, title));
byId("game").addEventListener("change", ({ target }) => openGame(games[target.value]));
if (games.length > 1) {
  showOverview(byId("overview"), games, (number) => {
    byId("game").value = number;
    openGame(games[number]);
    byId("viewer").scrollIntoView();
    byId("viewer").focus({ preventScroll: true });
  });
}
openGame(games[0]);
