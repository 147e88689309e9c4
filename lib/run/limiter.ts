import { fields, statusOf } from '../judge/reading.ts';
import type { Draft } from '../payloads/case.ts';
import type { Exchange } from '../wire/exchange.ts';

/** Ordinary plants that are sent one at a time, to see whether that makes a difference. */
const ONE_AT_A_TIME = 12;

/** Notices what looks like a rate limiter that does not say when to come again: 503 to some ordinary plants, not to all. */
export class Limiter {
  private plants = 0;
  private turnedAway = 0;

  note(exchange: Exchange, draft: Draft): void {
    if (draft.ordinary !== true) return;
    this.plants += 1;
    if (statusOf(exchange) === 503 && !saysWhen(exchange)) this.turnedAway += 1;
  }

  /** @param sendOne sends an ordinary plant with nothing else on its way; undefined where nothing can be sent any more */
  async advice(sendOne: () => Promise<Exchange | undefined>): Promise<string | undefined> {
    const { plants, turnedAway } = this;
    if (turnedAway === 0 || turnedAway === plants) return undefined;
    let [sent, again] = [0, 0];
    for (; sent < ONE_AT_A_TIME; sent += 1) {
      const exchange = await sendOne();
      if (exchange === undefined) break;
      if (statusOf(exchange) === 503) again += 1;
    }
    const whole = sent === ONE_AT_A_TIME;
    const alone = !whole
      ? ''
      : again === 0
        ? `; one at a time, ${sent} of ${sent} are served`
        : `; one at a time, ${again} of ${sent} as well`;
    const remedy =
      whole && again === 0
        ? 'send fewer at once with --concurrency, or fewer a second with --rate'
        : 'send fewer a second with --rate, or fewer at once with --concurrency';
    return `503 without Retry-After to ${turnedAway} of ${plants} ordinary requests${alone}. If that is a rate limiter, ${remedy}; a store that limits its clients says when to come again, or 429.`;
  }
}

const saysWhen = ({ response }: Exchange): boolean =>
  response !== undefined && fields(response, 'retry-after').length > 0;
