/** The proxy as a process of its own, so that it takes nothing from the client's. TARGETS are the servers, separated by commas. */
import { passOn } from './proxy.ts';

const { address } = await passOn((process.env.TARGETS ?? '').split(','));
process.stdout.write(`ready at ${address}\n`);
