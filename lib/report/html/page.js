// @ts-check
// The page is readable without this script, which adds the filter, the links into folded rows and the
// buttons.

/** @type {HTMLFormElement | null} */
const filter = document.querySelector('#filter');
/** @type {HTMLDetailsElement[]} */
const rows = [...document.querySelectorAll('details.check')].filter(
  (row) => row instanceof HTMLDetailsElement,
);
const announcement = document.querySelector('#announcement');

/** @param {string} name */
const chosen = (name) => String((filter && new FormData(filter).get(name)) ?? '').toLowerCase();

function applyFilter() {
  const words = chosen('text').split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const row of rows) {
    const { level = '', verdict = '', text = '' } = row.dataset;
    const matches =
      [
        ['level', level],
        ['verdict', verdict],
        ['area', row.id.split('/')[0] ?? ''],
      ].every(([name = '', own = '']) => chosen(name) === '' || chosen(name) === own.toLowerCase()) &&
      words.every((word) => text.includes(word));
    row.hidden = !matches;
    if (matches) shown += 1;
  }
  for (const area of document.querySelectorAll('.area'))
    area.toggleAttribute('hidden', area.querySelector('details.check:not([hidden])') === null);
  document.querySelector('#no-match')?.toggleAttribute('hidden', shown > 0);
  const count = document.querySelector('#shown');
  if (count)
    count.textContent = shown === rows.length ? `${shown} checks` : `${shown} of ${rows.length} checks`;
}

/** Opens the element that the URL names, even if a filter hides it. */
function openTarget() {
  let id = location.hash.slice(1);
  try {
    id = decodeURIComponent(id);
  } catch {}
  const row = document.getElementById(id);
  if (!(row instanceof HTMLDetailsElement)) return;
  if (row.hidden) {
    filter?.reset();
    applyFilter();
  }
  row.open = true;
  row.scrollIntoView();
  row.querySelector('summary')?.focus({ preventScroll: true });
}

/** @param {string} text */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without permission or a secure context.
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'announcement';
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

/** @param {HTMLButtonElement} button */
async function copyFor(button) {
  const { link, announcement: success = '' } = button.dataset;
  const code = button.closest('.copyable')?.querySelector('code');
  const exact = code?.dataset.exact;
  const text =
    link !== undefined
      ? `${location.href.split('#')[0]}#${link}`
      : exact !== undefined
        ? String(JSON.parse(exact))
        : (code?.textContent ?? '');
  const done = await copy(text);
  button.focus();
  button.classList.toggle('done', done);
  if (announcement) announcement.textContent = done ? success : 'Copying failed.';
  setTimeout(() => {
    button.classList.remove('done');
    if (announcement) announcement.textContent = '';
  }, 2500);
}

document.addEventListener('click', ({ target }) => {
  if (!(target instanceof Element)) return;
  const button = target.closest('button.copy');
  if (button instanceof HTMLButtonElement) void copyFor(button);
  // A link to the current URL causes no hashchange event.
  const link = target.closest('a[href^="#"]');
  if (link?.getAttribute('href') === location.hash) openTarget();
});

filter?.addEventListener('input', applyFilter);
filter?.addEventListener('submit', (event) => event.preventDefault());
// The fields are reset only after the event.
filter?.addEventListener('reset', () => setTimeout(applyFilter));
addEventListener('hashchange', openTarget);

/** @type {HTMLDetailsElement[]} */
let folded = [];
addEventListener('beforeprint', () => {
  folded = [...document.querySelectorAll('details')].filter((one) => !one.open);
  for (const one of folded) one.open = true;
});
addEventListener('afterprint', () => {
  for (const one of folded) one.open = false;
});

for (const control of document.querySelectorAll('#filter, button.copy')) control.removeAttribute('hidden');
// A browser may have restored earlier values of the fields.
applyFilter();
openTarget();
