import { createHash } from 'node:crypto';
import type { ComponentChildren } from 'preact';
import { renderToStaticMarkup } from 'preact-render-to-string';
import { packageText } from '../../../../package.ts';
import type { RunRecord } from '../../../record/record.ts';
import { List } from './section.tsx';
import { inline, Sprite } from './text.tsx';

const KIT = ['lib/report/formats/html/kit/kit.css', 'lib/report/formats/html/kit/kit.js'];

/** The text of the files with this ending, and the hash by which a content security policy allows it. */
function assetOf(files: readonly string[], ending: string) {
  const texts = files.filter((file) => file.endsWith(ending)).map(packageText);
  // A browser converts CRLF to LF before it computes the hash.
  const text = texts.join('').replaceAll('\r\n', '\n');
  return { text, hash: `'sha256-${createHash('sha256').update(text).digest('base64')}'` };
}

interface Props {
  readonly title: string;
  readonly suite: RunRecord['suite'];
  /** Styles and scripts beside those of all pages. */
  readonly files: readonly string[];
  /** Section names by id. */
  readonly sections: Readonly<Record<string, string>>;
  readonly skip: string;
  readonly class?: string | undefined;
  readonly children: ComponentChildren;
}

/**
 * Renders a self-contained page, readable without a script. Its policy allows only its own style and script.
 */
export function page({ title, suite, files, sections, skip, children, ...body }: Props): string {
  const [style, script] = [assetOf([...KIT, ...files], '.css'), assetOf([...KIT, ...files], '.js')];
  const html = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta
          http-equiv="Content-Security-Policy"
          content={`default-src 'none'; style-src ${style.hash}; script-src ${script.hash}; base-uri 'none'; form-action 'none'`}
        />
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
  return `<!doctype html>\n${renderToStaticMarkup(html)}\n`;
}
