import type { Media, MediaEvents } from './media.ts';
import { Mesh } from './mesh.ts';
import type { Joined } from './protocol.ts';

/** Through LiveKit where the server says so; else from browser to browser. What is not used is not loaded. */
export async function openMedia(joined: Joined, local: MediaStream, events: MediaEvents): Promise<Media> {
  if (joined.way !== 'livekit') return new Mesh(joined, local, events);
  const { createLiveKit } = await import('./livekit.ts');
  return createLiveKit(joined, local, events);
}
