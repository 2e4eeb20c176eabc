import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Demo } from './demo.ts';

interface Screen {
  /** The origin of links. */
  address: string;
  /** The address that the server listens on. */
  listening: string;
  config: Config;
  demo: Demo | null;
}

const PROJECT = join(import.meta.dirname, '..', '..');

/** Text for the terminal when the server is ready. It contains no secret: those are in demo.json. */
export function firstScreen({ address, listening, config, demo }: Screen): string {
  const variant = config.API_VARIANTS[0] ?? 'v1';
  const lines = [
    `Triptych is ready at ${address}`,
    ...(listening === address ? [] : [`  and listens on ${listening}`]),
    '',
    `  integration API   ${address}/api`,
    `  practice API      ${address}/${variant}/${demo?.practiceIds[0] ?? '{practiceid}'}`,
    `  mobile API        ${address}/`,
    `  platform API      ${address}/platform/v1`,
    ...(config.TRIPTYCH_DOCS === 'on' ? [`  reference         ${address}/docs`] : []),
    `  health            ${address}/healthz, /readyz${config.METRICS_PORT === undefined ? ', /metrics' : ''}`,
    ...(demo ? [`  sandbox           ${listening}/sandbox, the phones and mailboxes of the demo's patients`] : []),
    '',
    ...(demo ? demoLines(address, demo) : []),
    'Stop with Ctrl-C.',
  ];
  return `\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n\n`;
}

function demoLines(address: string, { file, practiceIds, recordNumber }: Demo): string[] {
  const path = recordNumber === null ? '/api/appointments/types' : `/api/patients/mrn/${encodeURIComponent(recordNumber)}`;
  return [
    `Demo practices ${practiceIds.join(' and ')}; their accounts are in`,
    `  ${file}`,
    '',
    `Paste this into another terminal to read ${recordNumber === null ? 'appointment types' : 'the record of a patient'}:`,
    '',
    `  curl -s ${address}${path} -H "authorization: Bearer $(node ${shellWord(join(PROJECT, 'scripts', 'demo-token.mjs'))} ${shellWord(file)})"`,
    '',
  ];
}

/** Quotes a text as one word of a POSIX shell. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
