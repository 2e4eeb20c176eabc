/** A page of the documentation by the last part of its address. */
export interface Guide {
  slug: string;
  title: string;
  /** From the folder of the project. */
  file: string;
  detail: string;
}

/** The guides in the order in which a new integrator reads them. */
export const GUIDES: readonly Guide[] = [
  { slug: 'sync', title: 'Initial sync and updates', file: 'docs/guides/sync.md', detail: 'Copy all records once, then read changes' },
  {
    slug: 'authentication',
    title: 'Authentication',
    file: 'docs/guides/authentication.md',
    detail: 'Tokens for programs, apps and people',
  },
  { slug: 'errors', title: 'Errors', file: 'docs/errors.md', detail: 'Error codes: meaning, causes and what to do' },
  { slug: 'paging', title: 'Paging', file: 'docs/guides/paging.md', detail: 'Lists, filters and links' },
  { slug: 'retries', title: 'Retries and idempotency', file: 'docs/guides/retries.md', detail: 'Which requests to retry, and how' },
  { slug: 'limits', title: 'Limits', file: 'docs/guides/limits.md', detail: 'Requests per minute, sizes and lengths' },
  { slug: 'time-zones', title: 'Time zones', file: 'docs/guides/time-zones.md', detail: 'Local times, offsets and clock changes' },
  { slug: 'versions', title: 'Versions', file: 'docs/changes.md', detail: 'What may change, when, and where it is announced' },
  { slug: 'webhooks', title: 'Webhooks', file: 'docs/webhooks.md', detail: 'Events posted to your address' },
  { slug: 'events', title: 'Events', file: 'docs/events.md', detail: 'All kinds of events and their fields' },
  { slug: 'devices', title: 'Devices', file: 'docs/guides/devices.md', detail: 'Readings from a device maker’s cloud' },
  { slug: 'sandbox', title: 'Sandbox', file: 'docs/guides/sandbox.md', detail: 'Demo practices, phones and mailboxes' },
  { slug: 'security', title: 'Security', file: 'SECURITY.md', detail: 'How to report a vulnerability' },
];

const ROOT = new URL('../../../', import.meta.url);

export const projectFile = (path: string): URL => new URL(path, ROOT);

/** The address of a link of a guide on this server: of another guide, to an address of the server, or out; null for a file that is not served. */
export function resolveLink(target: string): string | null {
  if (/^(?:https?:|mailto:|[#/])/.test(target)) return target;
  const [path = '', fragment] = target.split('#');
  const name = path.split('/').at(-1);
  const guide = GUIDES.find(({ file }) => file.split('/').at(-1) === name);
  return guide ? `/docs/${guide.slug}${fragment === undefined ? '' : `#${fragment}`}` : null;
}
