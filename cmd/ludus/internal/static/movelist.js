// The list of a game's moves: a button per position.
import { make, makeSVG } from "./dom.js";
import { drawPiece } from "./board.js";

// pieceView is the viewBox of a single piece drawn at (0.5, 0.5).
export const pieceView = { viewBox: "0.1 0.1 0.8 0.8", "aria-hidden": "true" };

// MoveList fills an ol element. A press on a button calls onPly with the number of moves before its position.
export class MoveList {
  constructor(list, description, onPly) {
    this.list = list;
    this.description = description;
    list.replaceChildren();
    list.onclick = ({ target }) => { if (target.closest("[data-ply]")) onPly(Number(target.closest("[data-ply]").dataset.ply)); };
  }

  // show lists moves, { move, player } each, and marks the position after ply moves. Buttons of unchanged moves stay.
  show(moves, ply) {
    const { list } = this, focused = list.contains(document.activeElement);
    while (list.children.length > moves.length + 1) list.lastChild.remove();
    this.item(0, "start");
    moves.forEach(({ move, player }, i) => this.item(i + 1, move, player));
    const current = list.children[ply];
    for (const { firstChild: button } of list.children) {
      if (button.parentNode === current) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    }
    if (focused) current.firstChild.focus();
    const top = current.offsetTop - list.offsetTop; // scrollIntoView would scroll the page too
    if (top < list.scrollTop || top + current.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 2;
  }

  // item sets the text of the button for the position after ply moves.
  item(ply, text, player) {
    const button = this.list.children[ply]?.firstChild || make(make(this.list, "li"), "button", { type: "button", "data-ply": ply });
    const key = `${player} ${text}`;
    if (button.dataset.key === key) return;
    button.dataset.key = key;
    button.replaceChildren();
    if (player === undefined) {
      make(button, "span", {}, text);
      return;
    }
    const { pieces, players } = this.description;
    drawPiece(makeSVG(button, pieceView), pieces.find(({ side }) => side === player), 0.5, 0.5);
    make(button, "span", {}, `${ply}. ${text}`);
    make(button, "span", { class: "hidden" }, ` by ${players[player]}`);
  }
}
