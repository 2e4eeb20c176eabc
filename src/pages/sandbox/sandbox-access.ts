import type { FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';

export interface SandboxSetting {
  config: Pick<Config, 'NODE_ENV' | 'SANDBOX'>;
  /** The practices for trying things out, whose phones and mailboxes are shown. Without any there is no sandbox. */
  testPracticeIds?: readonly number[] | undefined;
}

/** Whether this server can have a sandbox: with practices for it, and in production where it is asked for. */
export const hasSandbox = ({ config, testPracticeIds }: SandboxSetting): boolean =>
  testPracticeIds !== undefined && (config.NODE_ENV !== 'production' || config.SANDBOX === 'on');

/** Whether a request may open the sandbox for the machine that it comes from. */
export const isSandboxOpen = (setting: SandboxSetting, request: FastifyRequest): boolean =>
  hasSandbox(setting) && (setting.testPracticeIds?.length ?? 0) > 0 && isLocal(request);

const LOOPBACK_PEER = /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|::ffff:127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/;
const LOOPBACK_HOST = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/i;
/** Headers of proxies, behind which the client may be anywhere. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/**
 * Whether the request comes from this machine, by its socket. The host must be a loopback name too, because a page of another
 * site could otherwise read the response through a DNS name that points here (DNS rebinding).
 */
function isLocal({ raw, headers }: FastifyRequest): boolean {
  if (FORWARDED.some((name) => headers[name] !== undefined)) return false;
  return LOOPBACK_PEER.test(raw.socket.remoteAddress ?? '') && LOOPBACK_HOST.test(headers.host ?? '');
}
