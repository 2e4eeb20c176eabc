import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';
import { VERSION } from '../config/version.ts';
import type { Database } from '../database/database.ts';
import type { Keyring } from '../database/encryption/keyring.ts';
import { areJobsRun, type Readiness, readiness } from '../database/readiness.ts';
import { METADATA_PATH } from '../http/oauth/metadata.ts';
import type { Limits } from '../http/requests/limits.ts';
import { PAGE_POLICY } from './content-security-policy.ts';
import { card } from './design/content/card.ts';
import { type ListItem, list } from './design/content/list.ts';
import { alert } from './design/feedback/alert.ts';
import { writePage } from './design/layout/page.ts';
import { html } from './html.ts';
import { isSandboxOpen, type SandboxSetting } from './sandbox/sandbox-access.ts';

interface LandingDeps extends SandboxSetting {
  config: SandboxSetting['config'] & Pick<Config, 'TRIPTYCH_DOCS' | 'RUN_JOBS'>;
  database: Pick<Database, 'pool'>;
  keyring: Keyring;
  limits: Limits;
}

/** `/`: says what this server is, leads staff, patients and developers to their pages, and says whether all works. It names no practice. */
export function landing(app: FastifyInstance, deps: LandingDeps): void {
  app.get('/', async (request, reply) => {
    await deps.limits.spend('address', request, reply);
    const { status: found } = await readiness(deps.database.pool, deps.keyring);
    const jobsRun = found === 'ready' && (await areJobsRun(deps.database.pool, deps.config.RUN_JOBS));
    const isDevelopment = deps.config.NODE_ENV !== 'production';
    const places = [
      ...(deps.config.TRIPTYCH_DOCS === 'on' ? DOCUMENTS : []),
      METADATA,
      ...(isSandboxOpen(deps, request) ? [SANDBOX] : []),
      ...(isDevelopment ? [COMPONENTS] : []),
    ];
    return reply
      .code(found === 'ready' ? 200 : 503)
      .headers({ 'content-security-policy': PAGE_POLICY, 'cache-control': 'no-store' })
      .type('text/html; charset=utf-8')
      .send(
        writePage({
          title: 'Triptych',
          layout: 'wide',
          isIndexed: true,
          content: html`
<p class="lead page-lead">One patient record for a practice, with pages for its staff and patients, and APIs for programs.</p>
<div class="grid">
!${card({ title: 'You work at a practice', content: list([LOBBY, MONITORING, CONSOLE]) })}
<div>!${card({ title: 'You are a patient', content: PATIENTS })}!${card({ title: 'Status', content: renderState(found, jobsRun) })}</div>
!${card({ title: 'You are a developer', content: list(places) })}
</div>`,
          foot: html`<p>Triptych ${VERSION}</p>`,
        }),
      );
  });
}

const TROUBLE: Record<Exclude<Readiness['status'], 'ready'>, string> = {
  'migrations pending': 'The database schema does not match this server, so the database must be migrated.',
  'database unreachable': 'The server cannot reach its database. Nothing is lost, and the server retries automatically.',
  'disk full':
    'The disk of the database is full, so nothing can be stored. Stored data is safe, and the server continues automatically when there is space.',
  'database refuses writes':
    'The database accepts no changes at the moment. Nothing is lost, and the server continues automatically when it does.',
  'master key missing': 'This server lacks a master key of the database. Nothing is lost; its operator must restart it with the key.',
};

function renderState(found: Readiness['status'], jobsRun: boolean): string {
  if (found !== 'ready') return alert({ kind: 'danger', content: html`<p>${TROUBLE[found]}</p>` });
  if (jobsRun) return alert({ kind: 'success', content: html`<p>All systems are working.</p>` });
  const content = html`<p>The server responds, but no process runs jobs: texts and emails are not sent, and the audit is not sealed.</p>`;
  return alert({ kind: 'warning', content });
}

const DOCUMENTS: ListItem[] = [
  { icon: 'file', title: 'Documentation', href: '/docs', detail: 'Guides, errors, and all API operations with examples' },
  { icon: 'file', title: 'OpenAPI: integration', href: '/docs/openapi/integration.json' },
  { icon: 'file', title: 'OpenAPI: practice', href: '/docs/openapi/practice.json' },
  { icon: 'file', title: 'OpenAPI: mobile', href: '/docs/openapi/mobile.json' },
  { icon: 'file', title: 'OpenAPI: platform', href: '/docs/openapi/platform.json' },
  { icon: 'file', title: 'OpenAPI: webhooks', href: '/docs/openapi/webhooks.json' },
];
const METADATA: ListItem = {
  icon: 'lock',
  title: 'Sign-in for programs and apps',
  href: METADATA_PATH,
  detail: 'OAuth 2 endpoints (RFC 8414)',
};
const SANDBOX: ListItem = {
  icon: 'phone',
  title: 'Sandbox',
  href: '/sandbox',
  detail: 'The phones and mailboxes of the demo patients',
};
const LOBBY: ListItem = {
  icon: 'people',
  title: 'Lobby',
  href: '/lobby',
  detail: 'Today’s schedule, waiting patients, and visits in progress',
};
const MONITORING: ListItem = {
  icon: 'clock',
  title: 'Monitoring',
  href: '/monitoring',
  detail: 'Alerts, readings and check-ins of patients at home, and the monthly ledger',
};
const CONSOLE: ListItem = {
  icon: 'lock',
  title: 'Administration',
  href: '/administration',
  detail: 'For administrators: users, API clients, security and audit',
};
const COMPONENTS: ListItem = {
  icon: 'info',
  title: 'Components',
  href: '/design',
  detail: 'Components of the pages; only in development',
};

const PATIENTS = html`
<p>Open the link in the text or email that your practice sent you.</p>
<p><strong>In an emergency, call <a href="tel:911">911</a>.</strong></p>`;
