/** A file or a folder of `src`, and the paths that its files may import besides their own folder. */
interface Layer {
  path: string;
  imports: readonly string[];
  /** Whether its files may import Fastify or one of its plugins. */
  fastify?: true;
}

const STORAGE = ['src/gateways', 'src/tracing', 'src/database', 'src/config'];
const DOMAIN = ['src/domain', 'src/records', ...STORAGE];
const SERVER = ['src/services.ts', 'src/http', 'src/jobs', 'src/backup', ...DOMAIN];

const inRooms = (area: string, ...rooms: string[]) => rooms.map((room) => `${area}/${room}`);

/** The areas of the domain, from the top to the bottom; of the two largest, the rooms. */
const AREAS = [
  'exports',
  'imports',
  'patient-rights',
  'monitoring',
  'telehealth',
  'webhooks',
  'users',
  ...inRooms('messaging', 'inbound', 'offers', 'visit-messages', 'confirmations', 'check-ins', 'external-messages', 'sandbox', 'calls'),
  ...inRooms('messaging', 'conversations', 'texts', 'sending', 'answers', 'inbox', 'queue', 'attachments', 'contacts', 'templates'),
  ...inRooms('messaging', 'recipients', 'numbers'),
  ...inRooms(
    'scheduling',
    'series',
    'patient-booking',
    'hours',
    'booked',
    'lists',
    'status',
    'booking',
    'appointment',
    'types',
    'free-time',
  ),
  'changes',
  'patients',
  'practices',
  'notifications',
  'identity',
  'files',
  'unit-of-work',
  'logs',
  'audit',
  'tx.ts',
  'opened-charts.sql.ts',
  'caller.ts',
  'journal.ts',
  'events',
  'code-sets',
  'values',
  'errors.ts',
];

/** The layers of `src` from the top to the bottom. A layer may import the listed paths, all of them further down, types included. */
export const LAYERS: readonly Layer[] = [
  { path: 'src/server.ts', imports: ['src/app.ts', 'src/startup', ...SERVER], fastify: true },
  { path: 'src/worker.ts', imports: ['src/startup', ...SERVER] },
  { path: 'src/demo.ts', imports: ['src/startup', 'prisma/seed', 'src/practice-file', ...DOMAIN] },
  { path: 'src/migrate.ts', imports: ['src/startup', 'src/database', 'src/config'] },
  { path: 'src/distribute.ts', imports: ['src/database', 'src/config'] },
  { path: 'src/admin', imports: ['src/startup', 'src/practice-file', ...SERVER, 'src/generated'] },
  { path: 'src/practice-file', imports: ['src/http', ...DOMAIN, 'src/generated'] },
  { path: 'src/startup', imports: DOMAIN },
  { path: 'src/app.ts', imports: ['src/apis', 'src/callbacks', 'src/pages', 'src/realtime', ...SERVER], fastify: true },
  { path: 'src/apis/integration', imports: SERVER, fastify: true },
  { path: 'src/apis/practice', imports: SERVER, fastify: true },
  { path: 'src/apis/mobile', imports: SERVER, fastify: true },
  { path: 'src/apis/platform', imports: SERVER, fastify: true },
  { path: 'src/apis/mcp', imports: SERVER, fastify: true },
  { path: 'src/callbacks', imports: SERVER, fastify: true },
  { path: 'src/pages', imports: ['src/realtime', ...SERVER], fastify: true },
  { path: 'src/realtime', imports: ['src/realtime/room-protocol.ts', ...SERVER], fastify: true },
  { path: 'src/pages/client', imports: ['src/realtime/room-protocol.ts'] },
  { path: 'src/realtime/room-protocol.ts', imports: [] },
  { path: 'src/services.ts', imports: ['src/http', 'src/jobs', ...DOMAIN], fastify: true },
  { path: 'src/http', imports: DOMAIN, fastify: true },
  { path: 'src/jobs', imports: ['src/backup', ...DOMAIN] },
  { path: 'src/backup', imports: DOMAIN },
  ...AREAS.map((area, index) => ({
    path: `src/domain/${area}`,
    imports: [...AREAS.slice(index + 1).map((lower) => `src/domain/${lower}`), 'src/records', ...STORAGE, 'src/generated'],
  })),
  { path: 'src/gateways', imports: ['src/tracing', 'src/database', 'src/config'] },
  { path: 'src/tracing', imports: ['src/database', 'src/config'] },
  { path: 'src/database', imports: ['src/generated', 'src/config'] },
  { path: 'src/generated', imports: [] },
  { path: 'src/records', imports: [] },
  { path: 'src/config', imports: [] },
];

/** Files that start a process, and the scripts of pages: no other layer imports them. */
export const ENTRIES = ['src/server.ts', 'src/worker.ts', 'src/demo.ts', 'src/migrate.ts', 'src/admin/main.ts', 'src/pages/client'];
