// Select2 puts a box of its own beside each select, without a name for screen readers: it gets that
// of the select's label.

let ids = 0;

function nameBox(container) {
  const label = container.previousElementSibling?.labels?.[0];
  const box = container.querySelector(".select2-selection");
  if (!label || !box) return;
  label.id ||= `select-name-${++ids}`;
  const shown = box.querySelector(".select2-selection__rendered");
  shown?.setAttribute("aria-labelledby", label.id);
  box.setAttribute("aria-labelledby", [label.id, shown?.id].filter(Boolean).join(" "));
}

function nameBoxes() {
  document.querySelectorAll(".select2-container").forEach(nameBox);
  // Django's hint beside the search of a double list is an icon with a name, which needs a role.
  document.querySelectorAll(".search-label-icon").forEach((icon) => (icon.setAttribute("role", "img")));
}

nameBoxes();
// They are made once the page is there, and with each row that is added to a form.
new MutationObserver(nameBoxes).observe(document.body, { childList: true, subtree: true });
