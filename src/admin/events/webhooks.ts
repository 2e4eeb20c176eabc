import type { Command } from 'commander';
import type { CommandDeclarer } from '../terminal/command.ts';
import type { Io } from '../terminal/io.ts';
import { listenCommand } from './webhook-listen.ts';

export function webhookCommands(program: Command, declare: CommandDeclarer, io: Io): void {
  const webhooks = program.command('webhooks').description('Webhook events. Endpoints are configured in the file of a practice.');
  listenCommand(webhooks, declare, io);
}
