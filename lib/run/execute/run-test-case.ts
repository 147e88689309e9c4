import { describeExchange, isSuccess } from '../../judge/reading.ts';
import { acceptsOrdinary, type Rule, requireAcceptance } from '../../judge/rules.ts';
import type { RequestTemplate, TestCase } from '../../payloads/test-case.ts';
import { Untestable } from '../check.ts';
import type { Failure } from '../result/result.ts';
import { truncate, truncated } from '../result/truncate.ts';
import { judged } from './apply-rules.ts';
import type { Execution } from './execution.ts';

/** Sends a test case and judges the response. Returns undefined if the case passes. */
export async function runTestCase(
  testCase: TestCase,
  id: bigint,
  rules: readonly Rule[],
  execution: Execution,
): Promise<Failure | undefined> {
  const stableLabel = testCase.stableLabel ?? testCase.label;
  const toBeAccepted = testCase.template.ordinary === true || requireAcceptance(rules);
  const template: RequestTemplate = { ...testCase.template, sentAs: stableLabel };
  const exchange = await execution.send(template, id, toBeAccepted);
  const finding = execution.judge(exchange, testCase.template, rules);
  if (finding === undefined) return undefined;
  return {
    label: testCase.label,
    stableLabel,
    finding,
    template: testCase.template,
    recent: execution.services.monitor.last.answeredBefore(template),
    exchange: truncated(exchange),
  };
}

/**
 * Sends a control request.
 * @throws Untestable if the store rejects it twice, the second time with another id
 */
export async function requireAccepted(
  control: RequestTemplate,
  id: bigint,
  execution: Execution,
): Promise<void> {
  const rejection = async (freshId: bigint) => {
    const exchange = await execution.send(control, freshId);
    // Other checks judge which success it is, and its body.
    if (exchange.kind === 'answered' && isSuccess(exchange.response.status)) return undefined;
    return judged(exchange, control, [acceptsOrdinary], execution.services.judging) === undefined
      ? undefined
      : truncate(describeExchange(exchange));
  };
  if ((await rejection(id)) === undefined) return;
  const again = await rejection(execution.ids.retryId());
  if (again === undefined) return;
  throw new Untestable(
    'ordinary/answers-200',
    `the control request, an ordinary plant, was not accepted (${again})`,
  );
}
