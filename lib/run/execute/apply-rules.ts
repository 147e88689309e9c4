import type { Contract } from '../../contract/contract.ts';
import { isLongEcho } from '../../judge/reading.ts';
import { type Finding, isFinding, type Rule, type SentFacts } from '../../judge/rules.ts';
import { membersOf } from '../../members.ts';
import type { RequestTemplate } from '../../payloads/test-case.ts';
import { bodyText } from '../../utf8.ts';
import { type Exchange, isAborted } from '../../wire/exchange.ts';

export interface JudgeContext {
  readonly contract: Contract;
  readonly token: string;
}

const sentOf = ({ request }: Exchange, token: string): SentFacts => ({
  token,
  get plant() {
    const { name, tag } = membersOf(bodyText(request.body));
    return {
      name: typeof name === 'string' ? name : undefined,
      tag: typeof tag === 'string' ? tag : undefined,
    };
  },
});

/**
 * Applies the rules in order. Returns the first finding; undefined if a rule applied and none was broken;
 * otherwise why the first rule did not apply.
 */
export function rulingOf(
  exchange: Exchange,
  template: RequestTemplate,
  rules: readonly Rule[],
  { contract, token }: JudgeContext,
): ReturnType<Rule> {
  if (!isSentAsTemplate(exchange, template))
    return { notApplied: `no request with ${template.framing === 'chunked' ? 'chunks' : 'a length'}` };
  if (isAborted(exchange)) return { notApplied: 'no request that was sent to its end' };
  if (isLongEcho(exchange)) return { notApplied: 'no response that was read to its end' };
  const sent = sentOf(exchange, token);
  const rulings = [];
  for (const rule of rules) {
    const ruling = rule(exchange, contract, sent);
    if (isFinding(ruling)) return ruling;
    rulings.push(ruling);
  }
  return rulings.includes(undefined) ? undefined : rulings[0];
}

/** Whether the request has the framing of its template: it cannot be chunked without a body. */
const isSentAsTemplate = ({ request }: Exchange, { framing = request.framing }: RequestTemplate): boolean =>
  framing === request.framing;

/** Returns the finding of the first rule that an exchange breaks. */
export function judged(
  exchange: Exchange,
  template: RequestTemplate,
  rules: readonly Rule[],
  judging: JudgeContext,
): Finding | undefined {
  const ruling = rulingOf(exchange, template, rules, judging);
  return isFinding(ruling) ? ruling : undefined;
}
