/** The proxy as a process of its own, so that it takes nothing from the client's. TARGETS are the servers, separated by commas. */
import { startProxy } from './proxy.ts';

const { address } = await startProxy((process.env.TARGETS ?? '').split(','));
process.stdout.write(`ready at ${address}\n`);
