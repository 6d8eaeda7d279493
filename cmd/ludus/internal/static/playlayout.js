// The HTML of the play page. Tests and style sheets know its ids.
import { handLayout } from "./hand.js";

export const layout = `
<div class="play">
  <section class="stage" aria-label="The game">
    <div class="messages">
      <p id="status" role="status"></p>
    </div>
    <div id="board" class="board"></div>
    <p id="note" class="note" role="status"></p>
    <div id="quiz" class="card" role="region" aria-label="Find the better move" hidden></div>
    <div class="actions">
      ${handLayout}
      <button id="new" type="button" disabled>New game</button>
      <button id="undo" type="button" disabled>Undo</button>
      <button id="hint" type="button" disabled>Hint</button>
      <button id="flip" type="button" title="turn the board round" disabled>Flip</button>
      <button id="rules" type="button" aria-controls="about">Rules</button>
      <button id="ask-review" type="button" hidden>Review</button>
      <button id="pause" type="button" aria-pressed="false" hidden>Pause</button>
      <button id="step" type="button" hidden>One move</button>
      <button id="retry" type="button" hidden>Try again</button>
    </div>
    <p id="outlook" hidden><span></span> <button id="other-seat" type="button"></button></p>
    <div id="past" hidden><span></span> <button id="resume" type="button">Play on from here</button> <button id="newest" type="button">Back to the game</button></div>
    <div id="value" role="meter" aria-valuemin="0" aria-valuemax="100" hidden><span class="first"></span><span class="second"></span><div class="track"><div class="share"></div></div><p class="note"></p></div>
    <p id="message" role="alert"></p>
    <div id="review" class="card" role="region" aria-label="Review" hidden></div>
  </section>
  <details id="about" class="card"><summary>Rules</summary><div></div></details>
  <div class="panel">
    <section class="card" aria-label="Players">
      <div class="seat" data-seat="0"></div>
      <div class="seat" data-seat="1"></div>
      <button id="swap" type="button">Swap sides</button>
    </section>
    <details id="openings" class="card" open hidden><summary>Opening book</summary><p class="note"></p><div></div></details>
    <section class="card" aria-label="The agent's analysis">
      <div class="toggles" role="group" aria-labelledby="view-title"><h2 id="view-title">Analysis</h2>
        <label title="how likely the network finds each move before it searches"><input id="show-prior" type="checkbox">prior</label>
        <label title="how often the search tries each move"><input id="show-visits" type="checkbox">visits</label>
        <label title="who is expected to win"><input id="show-value" type="checkbox">score</label>
      </div>
      <div id="analysis" hidden><div class="list"><table><thead></thead><tbody></tbody></table></div><button id="all-moves" type="button"></button><p class="note"></p></div>
      <button id="deeper" type="button" disabled>Analyse with more simulations</button>
      <details id="terms" class="terms"><summary>What the numbers mean</summary><dl>
        <div><dt>prior</dt><dd>how likely the network finds the move at first sight, before it searches. Agents without a network have none.</dd></div>
        <div><dt>visits</dt><dd>how many simulations of the search tried the move. The search tries promising moves more often. On the board they are shown if scores are not; a number counts all moves to that cell.</dd></div>
        <div><dt>chosen</dt><dd>the move that the agent would play, with a ring on the board. If moves are equally good, it may be any of these.</dd></div>
        <div><dt>score</dt><dd>the expected score of <span class="first-player"></span>, whoever is to move: 100 % is a sure win, 50 % even, 0 % a sure loss. A win of fewer than 100 points is worth less: 95 to 5 is 95 %. On the board it is that of the best move to a cell.</dd></div>
        <div><dt>colours</dt><dd>how good the moves are for the player to move: the darker, the nearer to the best. If only the prior is shown, they follow the prior.</dd></div>
        <div><dt>position</dt><dd>its score is a mean over the moves that the search tried, in which likely moves count most. For the player to move it is usually slightly below the best move's.</dd></div>
        <div><dt>simulations</dt><dd>steps of the search before a move. In each it looks at one more position. With more it plays better and slower.</dd></div>
        <div><dt>blunders</dt><dd>moves that give value away, such as a draw in a won position: the share of an agent's moves in solved positions, without the help of an exact solver. Below 4 % a weakened agent is called strong, below 12 % club, below 30 % casual, else beginner.</dd></div>
        <div><dt>Elo</dt><dd>how strong a player is. Random moves have 0; a player with 100 more than another scores 64 % against it. An exact solver helps agents with a network, if they are not weakened. Their Elo does not count it, so they may be stronger.</dd></div>
      </dl></details>
    </section>
    <section class="card" aria-label="Moves of the game">
      <div class="bar"><h2>Moves</h2><div class="buttons"><button id="back" type="button" aria-label="one move back" disabled>‹</button><button id="forward" type="button" aria-label="one move forward" disabled>›</button><button id="share" type="button" disabled>Share</button><button id="save" type="button" title="download the game in SGF" disabled>Save</button><button id="load" type="button" title="open the first game of a file: SGF, GGF, a list of moves; or drop the file on the page" disabled>Open</button></div></div>
      <input id="file" type="file" aria-label="a file of games" hidden>
      <p id="link" hidden><label>Link to this position <input type="text" readonly></label></p>
      <ol id="moves" class="moves" aria-label="Moves"></ol>
    </section>
    <details id="keys" class="terms"><summary>Keys</summary><dl>
      <div><dt><kbd>Arrows</kbd></dt><dd>from cell to cell</dd></div>
      <div><dt><kbd>Enter</kbd> <kbd>Space</kbd></dt><dd>select a piece or a cell</dd></div>
      <div><dt><kbd>Esc</kbd></dt><dd>deselect the piece</dd></div>
      <div><dt><kbd>u</kbd></dt><dd>undo</dd></div>
      <div><dt><kbd>h</kbd></dt><dd>hint</dd></div>
      <div><dt><kbd>f</kbd></dt><dd>flip the board</dd></div>
      <div><dt><kbd>r</kbd></dt><dd>rules</dd></div>
      <div><dt><kbd>n</kbd></dt><dd>new game</dd></div>
      <div><dt><kbd>[</kbd> <kbd>]</kbd></dt><dd>a move back, a move forward</dd></div>
    </dl></details>
    <div id="more"></div>
  </div>
</div>`;
