import { Ajv } from 'ajv';

/** The parts of the manifests of Kubernetes that docs/scale/kubernetes.yaml uses (API v1 and batch/v1). */

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command: string[];
  readonly args: string[];
}

export interface Job {
  readonly spec: {
    readonly completions?: number;
    readonly completionMode?: string;
    readonly template: { readonly spec: { readonly containers: Container[] } };
  };
}

const text = { type: 'string', minLength: 1 } as const;
/** An object with these properties and no other; those whose name ends with `?` may be missing. */
const object = (properties: Readonly<Record<string, object>>) => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties).filter((name) => !name.endsWith('?')),
  properties: Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name.replace('?', ''), schema]),
  ),
});
const list = (items: object) => ({ type: 'array', minItems: 1, items });
const count = { type: 'integer', minimum: 0 } as const;
/** RFC 1123 label, as names of objects and volumes have to be. */
const name = { type: 'string', pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' } as const;
const metadata = object({ name });

const environment = {
  oneOf: [
    object({ name: text, value: { type: 'string' } }),
    object({ name: text, valueFrom: object({ secretKeyRef: object({ name, key: text }) }) }),
  ],
};

const container = object({
  name,
  image: text,
  'env?': list(environment),
  'workingDir?': text,
  command: list(text),
  args: list(text),
  'volumeMounts?': list(object({ name, mountPath: { type: 'string', pattern: '^/' } })),
});

const volume = {
  oneOf: [
    object({ name, persistentVolumeClaim: object({ claimName: name }) }),
    object({ name, emptyDir: object({}) }),
  ],
};

const job = object({
  apiVersion: { const: 'batch/v1' },
  kind: { const: 'Job' },
  metadata,
  spec: object({
    'completions?': count,
    'parallelism?': count,
    'completionMode?': { enum: ['Indexed', 'NonIndexed'] },
    'backoffLimit?': count,
    template: object({
      spec: object({
        restartPolicy: { enum: ['Never', 'OnFailure'] },
        containers: list(container),
        'volumes?': list(volume),
      }),
    }),
  }),
});

const claim = object({
  apiVersion: { const: 'v1' },
  kind: { const: 'PersistentVolumeClaim' },
  metadata,
  spec: object({
    accessModes: list({ enum: ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'] }),
    resources: object({
      requests: object({ storage: { type: 'string', pattern: '^\\d+(?:Ki|Mi|Gi|Ti)$' } }),
    }),
  }),
});

const ajv = new Ajv({ strict: true, strictTypes: false });

/** Whether a value is a manifest of a Job. */
export const isJob = ajv.compile<Job>(job);
export const isVolumeClaim = ajv.compile(claim);
