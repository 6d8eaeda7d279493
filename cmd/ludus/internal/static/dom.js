// Elements, numbers for people, and the theme: what every page needs.

const root = document.documentElement;

export const byId = (id) => document.getElementById(id);

// make returns a new element with attributes, in the namespace of parent, as parent's last child.
export function make(parent, name, attributes = {}, text) {
  const child = document.createElementNS(parent.namespaceURI, name);
  for (const [key, value] of Object.entries(attributes)) child.setAttribute(key, value);
  if (text !== undefined) child.textContent = text;
  parent.appendChild(child);
  return child;
}

// makeSVG returns a new drawing as the last child of an element of the page.
export function makeSVG(parent, attributes = {}) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [key, value] of Object.entries(attributes)) svg.setAttribute(key, value);
  parent.appendChild(svg);
  return svg;
}

// plain is a move's text for people, without the brackets around it.
export const plain = (text) => text.replace(/^\((.*)\)$/, "$1");

// ---- numbers

// grouped writes a number with thin spaces between thousands.
export const grouped = (text) => text.replace(/\d{5,}(?=$|\.)/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, "\u202f"));

// number writes a value as the tables do.
export function number(x) {
  if (x == null) return "–";
  const a = Math.abs(x);
  if (a >= 100) return grouped(x.toFixed(0));
  if (a >= 10) return x.toFixed(1);
  if (a >= 1) return x.toFixed(2);
  return String(Number(x.toPrecision(3)));
}

// utility writes what a position or a move is worth, from -1 to 1.
export const utility = (x) => x == null ? "–" : x.toFixed(3).replace(/^-0\.000$/, "0.000");

// percent writes a share of 1.
export const percent = (x) => x == null ? "–" : `${(100 * x).toFixed(1)} %`;

// ---- light and dark

const systemDark = matchMedia("(prefers-color-scheme: dark)");
const redraws = new Set(); // what is drawn in colours that a style sheet cannot change later
const themeMemory = "ludus-theme";

export const isDark = () => (root.dataset.theme || (systemDark.matches ? "dark" : "light")) === "dark";

// onTheme calls redraw whenever the colours change, until the function that it returns is called.
export function onTheme(redraw) {
  redraws.add(redraw);
  return () => redraws.delete(redraw);
}

function remember(theme) {
  try { localStorage.setItem(themeMemory, theme); } catch { /* a browser may refuse files a memory */ }
}

function remembered() {
  try { return localStorage.getItem(themeMemory); } catch { return null; }
}

function showTheme() {
  byId("theme").textContent = isDark() ? "Light" : "Dark";
  byId("theme").setAttribute("aria-label", `switch to ${isDark() ? "light" : "dark"} colours`);
  for (const redraw of redraws) redraw();
}

// startTheme takes up the remembered colours, else the system's, and lets the button #theme change them.
export function startTheme() {
  const theme = remembered();
  if (theme === "dark" || theme === "light") root.dataset.theme = theme;
  showTheme();
  byId("theme").addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    remember(root.dataset.theme);
    showTheme();
  });
  systemDark.addEventListener("change", showTheme);
}

// colour is what a custom property comes to now, for a canvas.
export function colour(name) {
  const probe = make(document.body, "span", { hidden: "" });
  probe.style.color = `var(--${name})`;
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

export const faint = (rgb) => rgb.replace(/^rgb\((.*)\)$/, "rgba($1, 0.18)");
