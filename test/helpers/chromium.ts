import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';

const executablePath = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => path !== undefined && existsSync(path),
);

/** Without a browser the tests are skipped, except in CI, where it must be installed. */
export const absent = executablePath === undefined && process.env.CI === undefined;

/** The path of the accessibility checker. */
export const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Pages in their own browser. */
export class Pages {
  private readonly folder = mkdtempSync(join(tmpdir(), 'pages-'));
  private browser: Browser | undefined;

  addressOf(name: string, hash = ''): string {
    return `${pathToFileURL(join(this.folder, `${name}.html`)).href}${hash}`;
  }

  write(name: string, page: string): void {
    writeFileSync(join(this.folder, `${name}.html`), page);
  }

  async open(): Promise<Browser> {
    if (executablePath === undefined)
      throw new Error('there is no Chromium: install it, or set CHROMIUM to its path');
    this.browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    return this.browser;
  }

  async close(): Promise<void> {
    await this.browser?.close();
    rmSync(this.folder, { recursive: true });
  }

  /** Opens and uses a page, and requires that there are no errors, messages or requests meanwhile. */
  async use<T>(
    name: string,
    use: (page: Page) => Promise<T>,
    { hash = '', ...options }: BrowserContextOptions & { readonly hash?: string } = {},
  ): Promise<T> {
    if (this.browser === undefined) throw new Error('the browser is not open');
    const context = await this.browser.newContext(options);
    const messages: string[] = [];
    const page = await context.newPage();
    page.on('console', (message) => messages.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => messages.push(String(error)));
    page.on('dialog', (dialog) => {
      messages.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (request.url().split('#')[0] !== this.addressOf(name)) messages.push(`request: ${request.url()}`);
    });
    try {
      await page.goto(this.addressOf(name, hash));
      const result = await use(page);
      expect(messages).toEqual([]);
      return result;
    } finally {
      await context.close();
    }
  }
}
