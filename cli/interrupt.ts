const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Turns signals that would end the process into an abort, so that the run can still write its report. */
export function interruptible(): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const interrupt = () => controller.abort();
  for (const name of SIGNALS) process.on(name, interrupt);
  return {
    signal: controller.signal,
    release() {
      for (const name of SIGNALS) process.off(name, interrupt);
    },
  };
}
