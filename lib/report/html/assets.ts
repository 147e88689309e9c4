import { createHash } from 'node:crypto';
import { packageText } from '../../package.ts';

/** What a page holds inline: a hash of it admits it, and nothing else, under the policy of the page. */
export interface Asset {
  readonly text: string;
  readonly hash: string;
}

/** Files of the package, one after the other. */
export function asset(...files: readonly string[]): Asset {
  // A browser reads CRLF as LF before it hashes.
  const text = files.map((file) => packageText(file).replaceAll('\r\n', '\n')).join('');
  return { text, hash: `'sha256-${createHash('sha256').update(text).digest('base64')}'` };
}

export const STYLE = 'lib/report/html/page.css';
export const SCRIPT = 'lib/report/html/page.js';

/** The stylesheet and the script, as they are in the package. */
export const assets = (): { readonly style: Asset; readonly script: Asset } => ({
  style: asset(STYLE),
  script: asset(SCRIPT),
});

/** A page may hold this style and this script, and fetch, send and run nothing else. */
export const policyOf = (style: Asset, script: Asset): string =>
  [
    "default-src 'none'",
    `style-src ${style.hash}`,
    `script-src ${script.hash}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
