// @ts-check
// Loaded after kit.js. The page is readable without this script, which sorts the tables and shows the details of a
// cell below its table.

// Sorting: each head becomes a button that cycles through ascending, descending and the original order.

const NEXT = /** @type {const} */ ({ ascending: 'descending', descending: 'ascending' });

/** @param {HTMLTableRowElement} row @param {number} column */
const sortValue = (row, column) => row.cells[column]?.dataset.value ?? '';

/** By number, or by text if they are not both numbers. @param {string} a @param {string} b */
const inOrder = (a, b) => Number(a) - Number(b) || (a < b ? -1 : Number(a > b));

/** @param {HTMLTableElement} table @param {() => void} done */
function makeSortable(table, done) {
  const [body] = table.tBodies;
  if (!body) return;
  const original = [...body.rows];
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])].filter((head) => head.dataset.sort !== undefined);
  /** @param {HTMLTableCellElement | undefined} head @param {'ascending' | 'descending' | 'none'} order */
  const sort = (head, order) => {
    for (const other of heads) other.ariaSort = other === head ? order : 'none';
    const column = head?.cellIndex ?? 0;
    const sign = order === 'descending' ? -1 : 1;
    const sorted = [...original].sort((a, b) => {
      const [one, two] = [sortValue(a, column), sortValue(b, column)];
      // Rows without a value are always last.
      return one === '' || two === '' ? Number(one === '') - Number(two === '') : sign * inOrder(one, two);
    });
    body.append(...(order === 'none' ? original : sorted));
    done();
  };
  for (const head of heads) {
    const first = head.dataset.sort === 'descending' ? 'descending' : 'ascending';
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'sort';
    button.append(...head.childNodes);
    head.append(button);
    head.ariaSort = 'none';
    button.addEventListener('click', () => {
      const now = head.ariaSort;
      sort(head, now === 'none' ? first : now === first ? NEXT[first] : 'none');
      saveSettings();
    });
  }
  settings.set(`${table.id}.sort`, {
    get: () => {
      const head = heads.find(({ ariaSort }) => ariaSort !== 'none');
      return head === undefined ? '' : `${head.ariaSort === 'descending' ? '-' : ''}${head.textContent}`;
    },
    set: (value) => {
      const [, minus, name] = /^(-?)(.*)$/.exec(value) ?? [];
      const head = heads.find(({ textContent }) => textContent === name);
      sort(head, head === undefined ? 'none' : minus === '-' ? 'descending' : 'ascending');
    },
  });
}

/** Columns before those of the stores: what the row is about, and its failure count. */
const FIRST_STORE_COLUMN = 2;

const STEPS = /** @type {Readonly<Record<string, readonly [down: number, right: number]>>} */ ({
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
});

/** A section with a table of marks. @param {HTMLElement} section */
function makeMarks(section) {
  const table = section.querySelector('table');
  const form = section.querySelector('form');
  const panel = /** @type {HTMLElement | null} */ (section.querySelector('.panel'));
  const heading = panel?.querySelector('h3');
  if (!table || !form || !panel || !heading) return;
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  const rows = [...(table.tBodies[0]?.rows ?? [])];
  const { moveTo, reset } = makeTabStop(table);
  makeDetails(table, panel, heading, moveTo);
  table.addEventListener('mouseover', ({ target }) => {
    const cell = target instanceof Element ? target.closest('td') : null;
    const store = heads[cell?.cellIndex ?? 0]?.querySelector('a')?.textContent;
    const about = cell?.parentElement?.querySelector('.id, .title')?.textContent;
    if (cell && cell.cellIndex >= FIRST_STORE_COLUMN && cell.title === '')
      cell.title = `${store ?? ''}: ${cell.textContent}, ${about ?? ''}`;
  });
  makeSortable(table, reset);
  makeFilter(form, (chosen) => chooseColumns(heads, rows, chosen), reset);
}

/**
 * Makes the marks of a table one tab stop; the arrow keys move between them.
 * @param {HTMLTableElement} table
 */
function makeTabStop(table) {
  const links = () =>
    elements(table, 'tbody tr:not([hidden]) td:not([hidden]) a').filter(
      (link) => link instanceof HTMLAnchorElement,
    );
  /** @param {HTMLAnchorElement | undefined} stop */
  const setTabStop = (stop) => {
    for (const link of links()) link.tabIndex = link === stop ? 0 : -1;
  };
  /** @param {HTMLAnchorElement} link */
  const moveTo = (link) => {
    setTabStop(link);
    link.focus();
  };
  table.addEventListener('keydown', (event) => {
    const cell = event.target instanceof Element ? event.target.closest('td') : null;
    const [down, right] = STEPS[event.key] ?? [];
    if (!cell || down === undefined || right === undefined || event.altKey || event.ctrlKey || event.metaKey)
      return;
    event.preventDefault();
    const shown = [...(table.tBodies[0]?.rows ?? [])].filter((row) => !row.hidden);
    let row = shown.indexOf(/** @type {HTMLTableRowElement} */ (cell.parentElement));
    let column = cell.cellIndex;
    // The next mark in this direction that has a link.
    for (;;) {
      row += down;
      column += right;
      const next = shown[row]?.cells[column];
      if (!next) return;
      const link = next.hidden ? null : next.querySelector('a');
      if (link && next.tagName === 'TD') return moveTo(link);
    }
  });
  return { moveTo, reset: () => setTabStop(links()[0]) };
}

/**
 * Shows the columns of the chosen stores, and counts the failures in them.
 * @param {readonly HTMLTableCellElement[]} heads
 * @param {readonly HTMLTableRowElement[]} rows
 * @param {FormData} chosen
 */
function chooseColumns(heads, rows, chosen) {
  const group = String(chosen.get('stores') ?? '');
  const shown = heads.map(
    (head, index) =>
      index < FIRST_STORE_COLUMN || group === '' || (head.dataset.groups ?? '').split(' ').includes(group),
  );
  for (const [index, head] of heads.entries()) head.hidden = !shown[index];
  for (const { cells } of rows) {
    for (const [index, cell] of [...cells].entries()) cell.hidden = !shown[index];
    const failing = storesIn(cells).filter((cell) => cell.matches('.fail, .warn')).length;
    const [, count] = cells;
    if (count) count.textContent = count.dataset.value = String(failing);
  }
  return (/** @type {HTMLElement} */ row) =>
    !chosen.has('differs') || (row instanceof HTMLTableRowElement && differs(row.cells, heads));
}

/** @param {HTMLCollectionOf<HTMLTableCellElement>} cells */
const storesIn = (cells) => [...cells].slice(FIRST_STORE_COLUMN).filter(({ hidden }) => !hidden);

/**
 * Whether the stores whose runs were completed differ.
 * @param {HTMLCollectionOf<HTMLTableCellElement>} cells
 * @param {readonly HTMLTableCellElement[]} heads
 */
const differs = (cells, heads) =>
  new Set(
    storesIn(cells)
      .filter(({ cellIndex }) => heads[cellIndex]?.dataset.stopped === undefined)
      .map(({ className }) => className),
  ).size > 1;

/**
 * Shows the details of a cell in a panel below the table.
 * @param {HTMLTableElement} table
 * @param {HTMLElement} panel
 * @param {HTMLElement} heading
 * @param {(link: HTMLAnchorElement) => void} moveTo
 */
function makeDetails(table, panel, heading, moveTo) {
  /** @type {HTMLAnchorElement | null} */
  let opened = null;

  /** @param {HTMLAnchorElement} link */
  function openCell(link) {
    const entry = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    const way = entry?.closest('.way');
    if (!entry || !way) return false;
    const hint = way.closest('.inside')?.querySelector('.hint')?.cloneNode(true);
    panel.querySelector('.panel-body')?.replaceChildren(detailsOf(entry, way), ...(hint ? [hint] : []));
    const about = link.closest('tr')?.querySelector('.id, .title')?.textContent ?? '';
    heading.textContent = `${entry.querySelector('.name')?.textContent ?? ''}: ${about}`;
    opened?.classList.remove('chosen');
    opened = link;
    link.classList.add('chosen');
    panel.hidden = false;
    panel.scrollTop = 0;
    // The panel must not cover the row of the cell.
    const covered = () => link.getBoundingClientRect().bottom + 24 - panel.getBoundingClientRect().top;
    if (covered() > 0) table.closest('.scrolling')?.scrollBy(0, covered());
    if (covered() > 0) scrollBy(0, covered());
    heading.focus({ preventScroll: true });
    return true;
  }

  function closeCell() {
    if (panel.hidden) return;
    panel.hidden = true;
    opened?.classList.remove('chosen');
    if (opened) moveTo(opened);
    opened = null;
  }

  table.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('td a') : null;
    if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (openCell(link)) event.preventDefault();
  });
  panel.querySelector('button')?.addEventListener('click', closeCell);
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') closeCell();
  });
}

/** A copy of what several stores do, with only the entry of one. @param {Element} entry @param {Element} way */
function detailsOf(entry, way) {
  const shown = /** @type {HTMLElement} */ (way.cloneNode(true));
  for (const one of shown.querySelectorAll('[id]')) {
    if (one.id === entry.id) one.removeAttribute('id');
    else one.remove();
  }
  for (const variant of shown.querySelectorAll('.variant'))
    if (!variant.querySelector('li')) variant.remove();
  shown.querySelector('h4 .aside')?.remove();
  return shown;
}

/** Fades the right edge of a box as long as more columns follow. @param {HTMLElement} box */
function showContinuation(box) {
  const update = () =>
    box.classList.toggle('continues', box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
  box.addEventListener('scroll', update, { passive: true });
  new ResizeObserver(update).observe(box);
}

for (const box of elements(document.body, '.scrolling')) showContinuation(box);
for (const section of elements(document.body, 'section.matrix')) makeMarks(section);
for (const table of document.querySelectorAll('table.sortable:not(.marks-table)'))
  if (table instanceof HTMLTableElement) makeSortable(table, () => {});
begin();
