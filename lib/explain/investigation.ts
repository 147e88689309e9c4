import { type RequestState, templateOf } from '../payloads/model/dimension.ts';
import type { Failure } from '../run/result/result.ts';
import type { Exchange } from '../wire/exchange.ts';
import type { Experiments, SoughtSymptom } from './experiments.ts';

/** A failure to be explained, what to look for to see it again, and the means to do so. */
export class Investigation {
  readonly failure: Failure;
  readonly sought: SoughtSymptom;
  readonly experiments: Experiments;

  constructor(failure: Failure, sought: SoughtSymptom, experiments: Experiments) {
    this.failure = failure;
    this.sought = sought;
    this.experiments = experiments;
  }

  /**
   * Whether a request shows the symptom; undefined if its response says nothing about it.
   * @throws BudgetSpent
   */
  shows(state: RequestState): Promise<boolean | undefined> {
    return this.experiments.shows(state, this.sought);
  }

  /** The same of a request that was sent. */
  isShown(exchange: Exchange, state: RequestState): boolean | undefined {
    return this.experiments.isShown(exchange, templateOf(state), this.sought);
  }
}
