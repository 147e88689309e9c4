export const bodyText = (body: Uint8Array | undefined): string => Buffer.from(body ?? []).toString('utf8');
