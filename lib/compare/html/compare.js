// @ts-check
// Loaded after page.js, which copies, opens the target of the URL, and prepares printing. The page is
// readable without this script, which sorts the tables, filters the checks, and shows the details of a cell
// below the table.

{
  /** @param {string} id */
  const byId = (id) => document.getElementById(id);

  // Sorting: each head becomes a button that cycles through ascending, descending and the original order.

  const NEXT = /** @type {const} */ ({ ascending: 'descending', descending: 'ascending' });

  /** @param {HTMLTableRowElement} row @param {number} column */
  const sortValue = (row, column) => row.cells[column]?.dataset.value ?? '';

  /** @param {string} a @param {string} b */
  const compare = (a, b) =>
    a !== '' && b !== '' && !Number.isNaN(Number(a)) && !Number.isNaN(Number(b))
      ? Number(a) - Number(b)
      : a < b
        ? -1
        : a > b
          ? 1
          : 0;

  /** @param {HTMLTableElement} table */
  function makeSortable(table) {
    const [body] = table.tBodies;
    if (!body) return;
    const original = [...body.rows];
    /** @type {HTMLTableCellElement[]} */
    const heads = [...(table.tHead?.rows[0]?.cells ?? [])].filter((head) => head.dataset.sort !== undefined);
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
        const next = now === 'none' ? first : now === first ? NEXT[first] : 'none';
        for (const other of heads) other.ariaSort = 'none';
        head.ariaSort = next;
        const column = head.cellIndex;
        const sign = next === 'descending' ? -1 : 1;
        const sorted = [...original].sort((a, b) => {
          const [one, two] = [sortValue(a, column), sortValue(b, column)];
          // Rows without a value are always last.
          return one === '' || two === ''
            ? one === two
              ? 0
              : one === ''
                ? 1
                : -1
            : sign * compare(one, two);
        });
        body.append(...(next === 'none' ? original : sorted));
        resetFocus();
      });
    }
  }

  // The filter of the checks.

  const form = /** @type {HTMLFormElement | null} */ (byId('matrix-filter'));
  const matrix = /** @type {HTMLTableElement | null} */ (byId('matrix'));
  const rows = [...(matrix?.tBodies[0]?.rows ?? [])];
  const heads = [...(matrix?.tHead?.rows[0]?.cells ?? [])];
  const all = rows.length;
  /** Columns before those of the stores: the check and its failure count. */
  const FIRST_STORE_COLUMN = 2;

  const explained = new Map(
    [...document.querySelectorAll('details[data-check]')].map((one) => [
      one.getAttribute('data-check') ?? '',
      /** @type {HTMLDetailsElement} */ (one),
    ]),
  );

  function applyFilter() {
    const chosen = form ? new FormData(form) : new FormData();
    /** @param {string} name */
    const field = (name) => String(chosen.get(name) ?? '');
    const words = field('text').toLowerCase().split(/\s+/).filter(Boolean);
    const group = field('stores');
    const columns = heads.map(
      (head, index) =>
        index < FIRST_STORE_COLUMN || group === '' || (head.dataset.groups ?? '').split(' ').includes(group),
    );
    for (const [index, head] of heads.entries()) head.hidden = !columns[index];
    let shown = 0;
    for (const row of rows) {
      const cells = [...row.cells];
      for (const [index, cell] of cells.entries()) cell.hidden = !columns[index];
      const stores = cells.filter((_, index) => index >= FIRST_STORE_COLUMN && columns[index]);
      const verdicts = stores
        .filter(({ cellIndex }) => heads[cellIndex]?.dataset.stopped === undefined)
        .map(({ className }) => className);
      const [, count] = cells;
      const failing = String(stores.filter(({ classList }) => classList.contains('fail')).length);
      if (count) {
        count.textContent = failing;
        count.dataset.value = failing;
      }
      const { level = '', area = '', text = '' } = row.dataset;
      const matches =
        (field('level') === '' || field('level') === level) &&
        (field('area') === '' || field('area') === area) &&
        (!chosen.has('differs') || new Set(verdicts).size > 1) &&
        words.every((word) => text.includes(word));
      row.hidden = !matches;
      const more = explained.get(row.id);
      if (more) more.hidden = !matches;
      if (matches) shown += 1;
    }
    byId('matrix-no-match')?.toggleAttribute('hidden', shown > 0);
    const status = byId('matrix-shown');
    if (status) status.textContent = shown === all ? `${shown} checks` : `${shown} of ${all} checks`;
    resetFocus();
  }

  function showAll() {
    form?.reset();
    for (const box of form?.querySelectorAll('input[type=checkbox]') ?? [])
      if (box instanceof HTMLInputElement) box.checked = false;
    applyFilter();
  }

  form?.addEventListener('input', applyFilter);
  form?.addEventListener('submit', (event) => event.preventDefault());
  form?.addEventListener('reset', (event) => {
    // A reset restores the initial filter, which may hide rows; the button is to show all of them.
    if (event.isTrusted) setTimeout(showAll);
  });

  // The marks of the table are one tab stop; the arrow keys move between them.

  /** @returns {HTMLAnchorElement[]} */
  const links = () =>
    [...(matrix?.querySelectorAll('tbody tr:not([hidden]) td:not([hidden]) a') ?? [])].filter(
      (link) => link instanceof HTMLAnchorElement,
    );

  function resetFocus() {
    for (const [index, link] of links().entries()) link.tabIndex = index === 0 ? 0 : -1;
  }

  /** @param {HTMLAnchorElement} link */
  function moveTo(link) {
    for (const other of links()) other.tabIndex = -1;
    link.tabIndex = 0;
    link.focus();
  }

  const STEPS = /** @type {Readonly<Record<string, readonly [down: number, right: number]>>} */ ({
    ArrowUp: [-1, 0],
    ArrowDown: [1, 0],
    ArrowLeft: [0, -1],
    ArrowRight: [0, 1],
  });

  matrix?.addEventListener('keydown', (event) => {
    const cell = event.target instanceof Element ? event.target.closest('td') : null;
    const [down, right] = STEPS[event.key] ?? [];
    if (!cell || down === undefined || right === undefined || event.altKey || event.ctrlKey || event.metaKey)
      return;
    event.preventDefault();
    const shown = rows.length === 0 ? [] : [...(matrix.tBodies[0]?.rows ?? [])].filter((row) => !row.hidden);
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

  // The details of a cell, below the table.

  const panel = byId('panel');
  const heading = byId('panel-heading');
  /** @type {HTMLAnchorElement | null} */
  let opened = null;

  /** The element that a fragment names. @param {string} hash */
  function targetOf(hash) {
    try {
      return byId(decodeURIComponent(hash.slice(1)));
    } catch {
      return null;
    }
  }

  /** @param {HTMLAnchorElement} link */
  function openCell(link) {
    const entry = targetOf(link.hash);
    const way = entry?.closest('.way');
    if (!entry || !way || !panel || !heading) return false;
    const copy = /** @type {HTMLElement} */ (way.cloneNode(true));
    for (const one of copy.querySelectorAll('[id]')) {
      if (one.id === entry.id) one.removeAttribute('id');
      else one.remove();
    }
    for (const variant of copy.querySelectorAll('.variant'))
      if (!variant.querySelector('li')) variant.remove();
    copy.querySelector('h4 .aside')?.remove();
    const hint = way.closest('.inside')?.querySelector('.hint')?.cloneNode(true);
    byId('panel-body')?.replaceChildren(copy, ...(hint ? [hint] : []));
    heading.textContent = `${entry.querySelector('.name')?.textContent ?? ''}: ${entry.id.replace(/~\d+$/, '')}`;
    opened?.classList.remove('chosen');
    opened = link;
    link.classList.add('chosen');
    panel.hidden = false;
    panel.scrollTop = 0;
    // The panel must not cover the row of the cell.
    const over = link.getBoundingClientRect().bottom - panel.getBoundingClientRect().top;
    const box = matrix?.closest('.scrolling');
    if (over > 0 && box) box.scrollTop += over + 24;
    heading.focus({ preventScroll: true });
    return true;
  }

  function closeCell() {
    if (!panel || panel.hidden) return;
    panel.hidden = true;
    opened?.classList.remove('chosen');
    if (opened) moveTo(opened);
    opened = null;
  }

  matrix?.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('td a') : null;
    if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (openCell(link)) event.preventDefault();
  });
  matrix?.addEventListener('mouseover', ({ target }) => {
    const cell = target instanceof Element ? target.closest('td') : null;
    const store = heads[cell?.cellIndex ?? 0]?.querySelector('a')?.textContent;
    if (cell && cell.cellIndex >= FIRST_STORE_COLUMN && cell.title === '')
      cell.title = `${store ?? ''}: ${cell.textContent}, ${cell.parentElement?.id ?? ''}`;
  });
  byId('panel-close')?.addEventListener('click', closeCell);
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') closeCell();
  });

  /** Shows the target of the URL, even if a filter hides it or it is folded. */
  function showTarget() {
    const one = targetOf(location.hash);
    if (!one) return;
    const row = one instanceof HTMLTableRowElement ? one : null;
    const around = one.closest('details[data-check]');
    if (!row && !(around instanceof HTMLDetailsElement)) return;
    if (one.closest('[hidden]')) showAll();
    if (around instanceof HTMLDetailsElement) around.open = true;
    const box = row?.closest('.scrolling');
    if (!row || !box) return one.scrollIntoView();
    // Shows the table, and scrolls the row below its head.
    box.scrollIntoView();
    const top = row.getBoundingClientRect().top - box.getBoundingClientRect().top;
    box.scrollTop += top - (matrix?.tHead?.offsetHeight ?? 0) - 1;
    row.querySelector('a')?.focus({ preventScroll: true });
  }

  for (const table of document.querySelectorAll('table.sortable'))
    if (table instanceof HTMLTableElement) makeSortable(table);
  form?.removeAttribute('hidden');
  applyFilter();
  showTarget();
  addEventListener('hashchange', showTarget);
}
