import { type RequestTemplate, validCredential } from '../../payloads/test-case.ts';
import type { Exchange } from '../../wire/exchange.ts';

/**
 * The cookies that responses to accepted requests set (RFC 6265 section 4.1). The store might accept a
 * session in place of the token.
 */
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
