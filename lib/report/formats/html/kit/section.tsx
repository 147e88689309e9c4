import type { ComponentChildren } from 'preact';
import { inline, type Tone } from './text.tsx';

interface Content {
  readonly class?: string;
  readonly children: ComponentChildren;
}

export const Section = ({
  id,
  heading,
  class: kind = id,
  children,
}: Content & Readonly<{ id: string; heading: string }>) => (
  <section class={kind} id={id} aria-labelledby={`${id}-heading`}>
    <h2 id={`${id}-heading`}>{heading}</h2>
    {children}
  </section>
);

export function List({
  class: kind,
  ordered = false,
  items,
}: Readonly<{ class?: string; ordered?: boolean; items: readonly ComponentChildren[] }>) {
  const rows = items.map((item) => <li>{item}</li>);
  return ordered ? <ol class={kind}>{rows}</ol> : <ul class={kind}>{rows}</ul>;
}

export const More = ({
  summary,
  class: kind = '',
  children,
}: Content & Readonly<{ summary: ComponentChildren }>) => (
  <details class={`more ${kind}`.trim()}>
    <summary>{summary}</summary>
    {children}
  </details>
);

interface CardProps extends Content {
  readonly id?: string | undefined;
  readonly tone: Tone | 'kind';
  /** The id of the row that this card is hidden with. */
  readonly of?: string;
  readonly open?: boolean;
  readonly mark: ComponentChildren;
  readonly head: ComponentChildren;
  readonly weight: ComponentChildren;
}

export const Card = ({ id, tone, of, open = false, mark, head, weight, children }: CardProps) => (
  <details class={`cause ${tone}`} id={id} data-of={of} open={open}>
    <summary>
      {mark}
      <span class="head">{head}</span>
      <span class="weight">{weight}</span>
    </summary>
    <div class="inside">{children}</div>
  </details>
);

/** Returns the title of a cause, which may contain text from a store. */
export const causeTitle = (title: string): string => inline(title, 1000);

export const Fix = ({ advice }: Readonly<{ advice: string }>) => (
  <p class="hint">
    <strong>Fix.</strong> {inline(advice, 2000)}
  </p>
);

export const titleOfChecks = (count: number): string =>
  `${count === 1 ? 'The failed check' : `The ${count} failed checks`} that this explains`;
