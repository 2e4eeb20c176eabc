import type { Joined } from '../protocol.ts';
import type { Media, MediaEvents } from './media.ts';
import { Mesh } from './mesh.ts';

/** Opens LiveKit where the session uses it, else the mesh. The LiveKit client is loaded only in the first case. */
export async function openMedia(joined: Joined, local: MediaStream, events: MediaEvents): Promise<Media> {
  if (joined.way !== 'livekit') return new Mesh(joined, local, events);
  const { createLiveKit } = await import('./livekit.ts');
  return createLiveKit(joined, local, events);
}
