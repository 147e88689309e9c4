import { createHash } from 'node:crypto';
import { packageFile, packageText } from '../package.ts';
import { type Contract, contractIn } from './contract.ts';
import { API, DOCUMENT_SHA256, TEXT_SHA256, VALIDATORS } from './prepared.ts';
import { validatorOf } from './validator.ts';

/** Without its folder, so that reports name it alike on every machine. */
const OWN_DOCUMENT = 'openapi.yaml';

/**
 * Loads the contract of the suite's own document. Without overlays, uses the prepared contract, so that a run
 * loads neither a YAML parser nor a schema compiler.
 * @throws DocumentError, with file and location, if an overlay cannot be used
 */
export async function bundledContract(overlays: readonly string[] = []): Promise<Contract> {
  if (overlays.length === 0 && isPrepared()) {
    return contractIn({
      document: { file: OWN_DOCUMENT, value: API, location: () => undefined },
      openapi: API.openapi,
      overlays,
      sha256: DOCUMENT_SHA256,
      api: API,
      compile(schema) {
        const validate = VALIDATORS.get(schema);
        if (validate === undefined) throw new Error('it was not prepared; npm run docs prepares it');
        return validatorOf(validate);
      },
      mistakesIn: () => [],
    });
  }
  const { loadContract } = await import('./load-contract.ts');
  const contract = await loadContract(packageFile(OWN_DOCUMENT), overlays);
  const warnings = contract.document.warnings.map((one) =>
    one.replace(packageFile(OWN_DOCUMENT), OWN_DOCUMENT),
  );
  return { ...contract, document: { ...contract.document, file: OWN_DOCUMENT, warnings } };
}

/** Whether the document is the one that was prepared. In a clone, it may have been edited since. */
const isPrepared = (): boolean =>
  createHash('sha256').update(packageText(OWN_DOCUMENT)).digest('hex') === TEXT_SHA256;
