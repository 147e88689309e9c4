// @ts-check
/* biome-ignore-all lint/correctness/noUnusedVariables: the scripts of the pages use them. */
// The pages are readable without this script, which adds filters, links into folded or hidden rows, and buttons.

const announcement = document.querySelector('#announcement');

// What the reader sets is kept in the URL, after the id of its target: #ordinary/answers-200?filter.level=MUST

/**
 * Settings by key; the value '' stands for the initial one.
 * @type {Map<string, { get: () => string, set: (value: string) => void }>}
 */
const settings = new Map();
/** Apply the filters again. @type {(() => void)[]} */
const filters = [];

/** The id and the settings in the URL. */
function fragment() {
  const [id = '', state] = location.hash.slice(1).split('?', 2);
  try {
    return { id: decodeURIComponent(id), state };
  } catch {
    return { id: '', state };
  }
}

function saveSettings() {
  const state = new URLSearchParams();
  for (const [key, { get }] of settings) if (get() !== '') state.set(key, get());
  const [page = '', hash = ''] = location.href.split('#', 2);
  const [id = ''] = hash.split('?', 1);
  const next = String(state) === '' ? id : `${id}?${state}`;
  if (next !== hash) history.replaceState(null, '', next === '' ? page : `${page}#${next}`);
}

function loadSettings() {
  const { state } = fragment();
  if (state !== undefined) {
    const wanted = new URLSearchParams(state);
    for (const [key, { set }] of settings) set(wanted.get(key) ?? '');
  }
  for (const apply of filters) apply();
  saveSettings();
}

/** @param {Element | null | undefined} parent @param {string} selector */
const elements = (parent, selector) =>
  [...(parent?.querySelectorAll(selector) ?? [])].filter((one) => one instanceof HTMLElement);

/** @param {HTMLFormElement} form */
const fieldsOf = (form) =>
  [...form.elements].filter((one) => one instanceof HTMLInputElement || one instanceof HTMLSelectElement);

/**
 * Hides the rows around a form that do not match it.
 * @param {HTMLFormElement} form
 * @param {(chosen: FormData) => (row: HTMLElement) => boolean} more a further condition
 * @param {() => void} done
 */
function makeFilter(form, more = () => () => true, done = () => {}) {
  const section = form.closest('section');
  const rows = elements(section, '[data-text]');
  const status = form.querySelector('.shown');
  const noun = status?.textContent?.replace(/^\S+ /, '') ?? '';
  const apply = () => {
    const chosen = new FormData(form);
    const isWanted = more(chosen);
    const words = String(chosen.get('text')).toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const { text = '', ...data } = row.dataset;
      const matches =
        words.every((word) => text.includes(word)) &&
        [...chosen].every(([name, value]) => value === '' || (data[name] ?? value) === value) &&
        isWanted(row);
      row.hidden = !matches;
      if (matches) shown += 1;
    }
    for (const details of elements(section, '[data-of]'))
      details.hidden = document.getElementById(details.dataset.of ?? '')?.hidden ?? false;
    for (const area of elements(section, '.area'))
      area.hidden = area.querySelector('[data-text]:not([hidden])') === null;
    section?.querySelector('.no-match')?.toggleAttribute('hidden', shown > 0);
    if (status)
      status.textContent = `${shown === rows.length ? shown : `${shown} of ${rows.length}`} ${noun}`;
    done();
  };
  for (const field of fieldsOf(form))
    settings.set(
      `${form.id}.${field.name}`,
      field.type === 'checkbox' && field instanceof HTMLInputElement
        ? {
            get: () => (field.checked === field.defaultChecked ? '' : field.checked ? 'yes' : 'no'),
            set: (value) => {
              field.checked = value === '' ? field.defaultChecked : value === 'yes';
            },
          }
        : {
            get: () => field.value,
            set: (value) => {
              field.value = value;
            },
          },
    );
  filters.push(apply);
  const changed = () => {
    apply();
    saveSettings();
  };
  form.addEventListener('input', changed);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('reset', (event) => {
    // A reset would restore the initial filter, which may hide rows.
    event.preventDefault();
    for (const field of fieldsOf(form))
      if (field instanceof HTMLInputElement && field.type === 'checkbox') field.checked = false;
      else field.value = '';
    changed();
  });
  form.hidden = false;
}

/** Shows the element that the URL names, even if a filter hides it or it is folded. */
function showTarget() {
  const target = document.getElementById(fragment().id);
  if (!target) return;
  const form = target.closest('[hidden]')?.closest('section:has(form.filter)')?.querySelector('form');
  form?.reset();
  for (let one = target.closest('details'); one; one = one.parentElement?.closest('details') ?? null)
    one.open = true;
  target.scrollIntoView();
  const box = target.closest('.scrolling');
  if (box) {
    // The row would be below the sticky head.
    box.scrollIntoView();
    const top = target.getBoundingClientRect().top - box.getBoundingClientRect().top;
    box.scrollTop += top - (box.querySelector('thead')?.offsetHeight ?? 0) - 1;
  }
  const focused = target.querySelector(target instanceof HTMLDetailsElement ? 'summary' : 'th a');
  if (focused instanceof HTMLElement && target.matches('details, tr')) focused.focus({ preventScroll: true });
}

addEventListener('hashchange', () => {
  loadSettings();
  showTarget();
});

/** @param {string} text */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without permission or a secure context.
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'visually-hidden';
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
  const exact = button.dataset.exact ?? code?.dataset.exact;
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
  if (link?.getAttribute('href') === location.hash) showTarget();
});

for (const button of elements(document.body, 'button.copy')) button.hidden = false;

/** Call this once the page has its filters. */
function begin() {
  // A browser may have restored earlier values of the fields.
  loadSettings();
  showTarget();
}
