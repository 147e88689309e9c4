import type { Contract } from '../contract/contract.ts';
import { membersOf } from '../members.ts';
import type { Exchange, Response } from '../wire/exchange.ts';
import { contentOf, isSuccess, objectOf } from './reading.ts';

/** Summarises a response in the same words for stores that behave alike, whatever the exact status. */
export function signatureOf(exchange: Exchange, contract: Contract): string {
  if (exchange.kind === 'broken') return `no response (${exchange.fault.kind})`;
  const { response } = exchange;
  const kind = Math.floor(response.status / 100);
  if (isSuccess(response.status)) return `accepted: ${plantSignature(response, exchange, contract)}`;
  if (kind === 4)
    return `rejected: ${objectOf(response, contract.error.validate) ? 'an Error' : 'not an Error'}`;
  return kind === 5 ? 'a server error' : `answered ${response.status}`;
}

function plantSignature(response: Response, { request }: Exchange, contract: Contract): string {
  const content = contentOf(response);
  if (content.kind !== 'json' || content.value === null || typeof content.value !== 'object')
    return 'not a Plant';
  const shape = objectOf(response, contract.plant.validate) ? 'a Plant' : 'not a Plant';
  const sent = membersOf(new TextDecoder().decode(request.body ?? new Uint8Array()));
  const back = content.value as Readonly<Record<string, unknown>>;
  const echoes = ['name', 'tag', 'id'].map((name) => [name, echo(sent, back, name)] as const);
  return [shape, ...echoes.filter(([, kept]) => kept !== 'kept').map((parts) => parts.join(' '))].join(', ');
}

function echo(
  sent: Readonly<Record<string, unknown>>,
  back: Readonly<Record<string, unknown>>,
  name: string,
): string {
  const [wasSent, cameBack] = [sent, back].map((members) => Object.hasOwn(members, name));
  if (!cameBack) return wasSent ? 'missing' : 'kept';
  if (!wasSent) return back[name] === null ? 'null' : 'added';
  return JSON.stringify(sent[name]) === JSON.stringify(back[name]) ? 'kept' : 'changed';
}
