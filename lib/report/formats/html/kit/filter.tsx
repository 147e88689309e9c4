import type { ComponentChildren } from 'preact';

/** Renders a form that hides the rows of its section that do not match. Requires the script. */
export const Filter = ({
  id,
  search,
  rows,
  children,
}: {
  readonly id: string;
  readonly search: string;
  /** The number of rows, with a noun. */
  readonly rows: string;
  readonly children: ComponentChildren;
}) => (
  <>
    <search>
      <form class="filter" id={id} hidden>
        <label class="field text">
          <span>Search</span>
          <input name="text" type="search" placeholder={search} autoComplete="off" />
        </label>
        {children}
        <button type="reset">Show all</button>
        <p class="shown" role="status">
          {rows}
        </p>
      </form>
    </search>
    <p class="no-match" hidden>
      No matches. <em>Show all</em> clears the search and the filters.
    </p>
  </>
);

export const Choice = ({
  name,
  label,
  options,
}: Readonly<{ name: string; label: string; options: Readonly<Record<string, string>> }>) => (
  <label class="field">
    <span>{label}</span>
    <select name={name}>
      <option value="">all</option>
      {Object.entries(options).map(([value, word]) => (
        <option value={value}>{word}</option>
      ))}
    </select>
  </label>
);
