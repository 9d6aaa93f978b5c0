// Keyboard shortcuts of the console, and the dialog that asks before anything happens.

const STORED = "console-shortcuts";
const TYPING = "input, textarea, select, [contenteditable]";

/** Links that ask why open the dialog; without a script they lead to a page with the same form. */
export function openDialogs(root) {
  const dialog = root.querySelector("[data-dialog]");
  root.addEventListener("click", (event) => {
    const link = event.target.closest("[data-pause]");
    if (!link || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    ask(dialog, link.dataset.pause, link.href, true);
  });
  dialog.querySelector("[data-dialog-close]").addEventListener("click", () => dialog.close());
}

function ask(dialog, title, action, asksWhy) {
  const why = dialog.querySelector("[data-dialog-why]");
  dialog.querySelector("[data-dialog-title]").textContent = title;
  dialog.querySelector("form").action = action;
  why.hidden = !asksWhy;
  why.querySelector("select").disabled = !asksWhy;
  dialog.showModal();
  (asksWhy ? why.querySelector("select") : dialog.querySelector("button")).focus();
}

export function listenForKeys(root) {
  const help = root.querySelector("[data-shortcuts]"), on = help.querySelector("[data-shortcuts-on]");
  help.hidden = false;
  on.checked = localStorage.getItem(STORED) !== "off";
  on.addEventListener("change", () => localStorage.setItem(STORED, on.checked ? "on" : "off"));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return close(root);
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return;
    if (!on.checked || event.target.closest(TYPING) || root.querySelector("dialog[open]")) return;
    const target = root.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (!target) return;
    event.preventDefault();
    press(root, target);
  });
}

function press(root, target) {
  if (target.matches("summary")) return toggle(target.parentElement);
  if (target.dataset.ask) return ask(root.querySelector("[data-dialog]"), target.dataset.ask, target.form.action, false);
  target.click(); // a dialog, or a page that asks
}

function toggle(panel) {
  panel.open = !panel.open;
  const first = panel.querySelector("input:not([type=hidden]), select, a[href]");
  (panel.open && first ? first : panel.firstElementChild).focus();
}

function close(root) {
  const panel = root.querySelector(".console-panels details[open]");
  if (!panel) return;
  panel.open = false;
  panel.firstElementChild.focus();
}
