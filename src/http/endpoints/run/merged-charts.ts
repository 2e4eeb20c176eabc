import type { FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../../domain/errors.ts';
import { findWinners } from '../../../domain/patients/chart/merged-charts.ts';
import type { RunDeps } from '../endpoint-types.ts';

/** The header that names the chart into which the one that the request names was merged. */
const MERGED_INTO = 'merged-into';

/** Names under which requests give the id of a patient, whose contact has the same id, and the placeholder of a path. */
const NAMED_PATIENT = /^(of_?)?(patient|contact|recipient)_*(id|uuid)?(\[\])?$/i;
/** A link of a tag has an id of its own, and is made under that of its contact. */
const PATIENT_IN_PATH = /(?:\/(?:patients|patient|contacts)|^POST \/contact-contact-tags)\/:(\w+)/;

/** Whether the path of an endpoint has a patient, who may have been merged. */
export const leadsToWinner = (path: string): boolean => PATIENT_IN_PATH.test(path);

type Part = 'params' | 'query' | 'body';
const listEntries = (part: unknown): [name: string, value: unknown][] =>
  typeof part === 'object' && part !== null && !Array.isArray(part) && !ArrayBuffer.isView(part) ? Object.entries(part) : [];

const isId = (value: unknown): boolean => /^[1-9]\d{0,9}$/.test(String(value)) && Number(value) <= 2_147_483_647;

/** A part of a request with other ids of patients, at any depth. */
function withPatients(request: FastifyRequest, part: Part, other: (id: number) => number | undefined): unknown {
  const inPath = part === 'params' ? PATIENT_IN_PATH.exec(`${request.method} ${request.routeOptions.url}`)?.[1] : undefined;
  const mapIds = (value: unknown, isPatient: boolean): unknown => {
    if (Array.isArray(value)) return value.map((one) => mapIds(one, isPatient));
    const entries = listEntries(value);
    if (entries.length > 0)
      return Object.fromEntries(entries.map(([name, one]) => [name, mapIds(one, name === inPath || NAMED_PATIENT.test(name))]));
    return isPatient && isId(value) ? (other(Number(value)) ?? value) : value;
  };
  return mapIds(request[part], false);
}

function patientsIn(request: FastifyRequest, parts: readonly Part[]): number[] {
  const ids = new Set<number>();
  const collect = (id: number): undefined => void ids.add(id);
  for (const part of parts) withPatients(request, part, collect);
  return [...ids];
}

/** Whether a request deletes the chart that its path names: that of the winner would go, with all that moved to it. */
function deletesChart({ method, routeOptions: { url = '' }, body }: FastifyRequest): boolean {
  if (!/\/patients\/:\w+\/?$/.test(url)) return false;
  const status = Object.fromEntries(listEntries(body)).status;
  return method === 'DELETE' || (typeof status === 'string' && /^d(eleted)?$/i.test(status.trim()));
}

/** Whether a request failed because it names a record that is not there. */
const isMissing = (error: unknown): boolean =>
  error instanceof Failure && (error.kind === 'not_found' || error.issues.some(({ code }) => code === 'not_found'));

/** A list that is filtered by a chart that was merged would be empty, and would not fail; and the file of an upload is read only once. */
const isLedAtOnce = (request: FastifyRequest): boolean =>
  request.routeOptions.config.carriesFile === true || (request.method === 'GET' && patientsIn(request, ['query']).length > 0);

/**
 * Runs an endpoint. Where it finds nothing, and the request names a chart that was merged into another, it runs again for that one, which the
 * header Merged-Into names.
 */
export async function runForWinners(deps: RunDeps, request: FastifyRequest, reply: FastifyReply, run: () => Promise<void>): Promise<void> {
  const isLed = isLedAtOnce(request);
  if (isLed) await leadToWinners(deps, request, reply, ['params', 'query']);
  try {
    await run();
  } catch (error) {
    if (isLed) reply.removeHeader(MERGED_INTO);
    if (
      isLed ||
      reply.sent ||
      deletesChart(request) ||
      !isMissing(error) ||
      !(await leadToWinners(deps, request, reply, ['params', 'query', 'body']))
    )
      throw error;
    await run();
  }
}

/** Replaces the ids of charts that were merged. @returns whether there were any */
async function leadToWinners(
  { unitOfWork }: RunDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: readonly Part[],
): Promise<boolean> {
  const ids = patientsIn(request, parts);
  if (ids.length === 0 || request.caller === undefined) return false;
  const winners = await unitOfWork.read(request.caller, (tx) => findWinners(tx, ids));
  if (winners.size === 0) return false;
  for (const part of parts) request[part] = withPatients(request, part, (id) => winners.get(id));
  reply.header(MERGED_INTO, [...new Set(winners.values())].join(', '));
  return true;
}
