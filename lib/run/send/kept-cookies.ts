import { type RequestTemplate, validCredential } from '../../payloads/test-case.ts';
import type { Exchange } from '../../wire/exchange.ts';

/** Set in responses to accepted requests (RFC 6265 section 4.1). A session might stand in for the token. */
export class KeptCookies {
  private readonly values = new Map<string, string>();

  learn({ response }: Exchange, { credential = validCredential }: RequestTemplate): void {
    if (response?.status !== 200 || credential !== validCredential) return;
    for (const [name, value] of response.headers) {
      const pair = /^set-cookie$/i.test(name) ? /^\s*([^=;\s]+)\s*=\s*([^;]*[^;\s])/.exec(value) : null;
      if (pair?.[1] !== undefined && pair[2] !== undefined) this.values.set(pair[1], pair[2]);
    }
  }

  get header(): string {
    return [...this.values].map(([name, value]) => `${name}=${value}`).join('; ');
  }
}
