import { createHash } from 'node:crypto';
import { packageText } from '../../../../package.ts';

/** Inline content of a page, and the hash by which the page's content security policy allows it. */
export interface Asset {
  readonly text: string;
  readonly hash: string;
}

function asset(...files: readonly string[]): Asset {
  // A browser converts CRLF to LF before it computes the hash.
  const text = files.map((file) => packageText(file).replaceAll('\r\n', '\n')).join('');
  return { text, hash: `'sha256-${createHash('sha256').update(text).digest('base64')}'` };
}

const KIT = 'lib/report/formats/html/kit/kit';

/** The style and the script of a page: those of all pages, followed by its own. */
export const assetsOf = (
  styles: readonly string[],
  scripts: readonly string[],
): { readonly style: Asset; readonly script: Asset } => ({
  style: asset(`${KIT}.css`, ...styles),
  script: asset(`${KIT}.js`, ...scripts),
});

/** A content security policy that allows this style and this script and nothing else. */
export const policyOf = (style: Asset, script: Asset): string =>
  [
    "default-src 'none'",
    `style-src ${style.hash}`,
    `script-src ${script.hash}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
