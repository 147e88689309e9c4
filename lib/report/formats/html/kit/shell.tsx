import type { ComponentChildren } from 'preact';
import type { RunRecord } from '../../../record/record.ts';
import { type Asset, policyOf } from './assets.ts';
import { List } from './section.tsx';
import { inline, Sprite } from './text.tsx';

/** The frame of every page: its policy, style, script and head, and a status line for announcements. */
export function Shell({
  title,
  suite,
  assets: { style, script },
  sections,
  skip,
  children,
  ...body
}: {
  readonly title: string;
  readonly suite: RunRecord['suite'];
  readonly assets: { readonly style: Asset; readonly script: Asset };
  /** Section names by id. */
  readonly sections: Readonly<Record<string, string>>;
  readonly skip: string;
  readonly class?: string | undefined;
  readonly children: ComponentChildren;
}) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content={policyOf(style, script)} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>{title}</title>
        <style dangerouslySetInnerHTML={{ __html: style.text }} />
      </head>
      <body {...body}>
        <a class="skip" href="#main">
          {skip}
        </a>
        <Sprite />
        <header class="masthead">
          <p>
            {inline(suite.name, 80)} <span class="aside">{inline(suite.version, 40)}</span>
          </p>
          <nav aria-label="Sections">
            <List
              class="links"
              items={Object.entries(sections).map(([id, name]) => <a href={`#${id}`}>{name}</a>)}
            />
          </nav>
        </header>
        <main id="main" tabIndex={-1}>
          {children}
          <p class="visually-hidden" id="announcement" role="status" />
        </main>
        <script dangerouslySetInnerHTML={{ __html: script.text }} />
      </body>
    </html>
  );
}
