import type { Unseen } from '../judge/rules.ts';
import { Causes } from './causes.ts';
import type { Untestable } from './check.ts';
import { keptFailure } from './keep.ts';
import {
  type Cause,
  type CheckCoverage,
  causeOf,
  type Failure,
  type Observations,
  type Placed,
  timedOut,
} from './result.ts';

/** Failures that are kept whole: a report shows the first, the others tell one cause from several. */
export const KEPT = 5;
/** Causes of which a failure is kept. */
const CAUSES = 20;

/** A case that was left without an answer while other checks were carried out as well. */
export interface Suspect {
  readonly failure: Failure;
  readonly place: number;
  /** Tries the same with another id. */
  readonly again: () => Promise<Failure | undefined>;
  /** There was nothing wrong with it when it was tried in isolation. */
  readonly passed?: boolean;
}

/** What has come of a check so far. It stays true when the run is stopped in the middle of it. */
export class Tally {
  cases = 0;
  failed = 0;
  /** Answers that were waited for in vain. */
  timeouts = 0;
  blocked: Untestable | undefined;
  /** Sends the control once more; undefined where there is none. */
  control: (() => Promise<void>) | undefined;
  /** Tries a case with another id, by its index; undefined where cases have no names. */
  again: ((index: number) => Promise<Failure | undefined>) | undefined;
  /** Whether a case of this check was left without an answer when it was tried alone. */
  guilty = false;
  suspects: readonly Suspect[] = [];
  /** Whether an exchange showed what the check is about. */
  seen = false;
  /** What there was none of, for the first that did not. */
  unseen: string | undefined;
  readonly noted: Record<string, Observations[string]> = {};
  /** How much of a covering array was tried; it takes a while to find out. */
  coverage: () => CheckCoverage | undefined = () => undefined;
  private readonly counted = new Causes();
  private readonly byCause = new Map<string, { place: number; failure: Failure; failed: number }>();
  private lead: Failure | undefined;
  private readonly onNew: (failure: Failure) => void;

  /** @param onNew is told of the first failure of each cause, as it is found */
  constructor(onNew: (failure: Failure) => void = () => {}) {
    this.onNew = onNew;
  }

  /**
   * Books a failure. One of each cause is kept, the one that comes first by its place: a thousand of the
   * same say no more.
   */
  book(failure: Failure, place = this.failed): void {
    this.failed += 1;
    this.counted.add(failure, place);
    if (timedOut(failure)) this.timeouts += 1;
    const cause = causeOf(failure);
    const known = this.byCause.get(cause);
    if (known === undefined) {
      if (this.byCause.size < CAUSES) this.onNew(failure);
      this.byCause.set(cause, { place, failure: keptFailure(failure), failed: 1 });
      if (this.byCause.size > CAUSES) this.byCause.delete(this.inOrder.at(-1)?.[0] ?? cause);
      return;
    }
    known.failed += 1;
    if (place < known.place) Object.assign(known, { place, failure: keptFailure(failure) });
  }

  /** An exchange broke no rule: because it kept them, or because none of them is about it. */
  look(unseen: Unseen | undefined): void {
    if (unseen === undefined) this.seen = true;
    else this.unseen ??= unseen.unseen;
  }

  /** Keeps a failure back until it is known whose fault it is. */
  suspect(suspect: Suspect): void {
    this.suspects = [...this.suspects, suspect];
    if (timedOut(suspect.failure)) this.timeouts += 1;
  }

  /** Alone there was nothing wrong with it. */
  acquit(suspect: Suspect): void {
    const acquitted: Suspect = { ...suspect, passed: true };
    this.suspects = this.suspects.map((one) => (one === suspect ? acquitted : one));
  }

  /** Alone it fails as well. */
  convict(suspect: Suspect, failure: Failure, unanswered: boolean): void {
    this.suspects = this.suspects.filter((one) => one !== suspect);
    this.book({ ...failure, when: 'always', retries: { fresh: [1, 1] } }, suspect.place);
    this.guilty ||= unanswered;
  }

  /** Books what is left of the suspects, but for those that what another did explains. */
  settle(guiltyElsewhere: boolean): void {
    for (const { failure, place, passed } of this.suspects) {
      const explained = passed === true ? this.guilty || guiltyElsewhere : !this.guilty && guiltyElsewhere;
      if (!explained) this.book(failure, place);
    }
    this.suspects = [];
  }

  /** Puts a failure in the place of the first: the same one, shrunk. */
  leadWith(failure: Failure): void {
    this.lead = keptFailure(failure);
  }

  /** The failure that is shown first, where it is not known yet whether it comes again. */
  get unconfirmed(): Placed | undefined {
    const { first, lead = first?.failure } = this;
    return first === undefined || lead?.when !== undefined ? undefined : first;
  }

  /** The first failure and its place. */
  get first(): Placed | undefined {
    return this.inOrder[0]?.[1];
  }

  /** The failure to look at, and some of other causes. */
  get failures(): readonly Failure[] {
    const kept = this.inOrder.slice(0, KEPT).map(([, { failure }]) => failure);
    return this.lead === undefined ? kept : [this.lead, ...kept.slice(1)];
  }

  get causes(): readonly Cause[] {
    return this.counted.inOrder;
  }

  private get inOrder() {
    return [...this.byCause].sort(([, a], [, b]) => a.place - b.place);
  }
}
