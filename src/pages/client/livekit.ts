import { ConnectionQuality, Room, RoomEvent } from 'livekit-client';
import type { Media, MediaEvents } from './media.ts';
import type { Joined } from './protocol.ts';

/** Pictures and sound through a LiveKit server: of many people, each sends once. People are known there by their ids here. */
export async function createLiveKit({ livekit }: Joined, local: MediaStream, { shown, left, faltering }: MediaEvents): Promise<Media> {
  if (!livekit) throw new Error('The server names no LiveKit server.');
  const room = new Room({ dynacast: true });
  const streams = new Map<string, MediaStream>();
  room.on(RoomEvent.TrackSubscribed, ({ mediaStreamTrack }, _publication, { identity }) => {
    const stream = streams.get(identity) ?? new MediaStream();
    streams.set(identity, stream);
    stream.addTrack(mediaStreamTrack);
    shown(Number(identity), stream);
  });
  room.on(RoomEvent.TrackUnsubscribed, ({ mediaStreamTrack }, _publication, { identity }) => {
    streams.get(identity)?.removeTrack(mediaStreamTrack);
  });
  room.on(RoomEvent.ParticipantDisconnected, ({ identity }) => {
    streams.delete(identity);
    left(Number(identity));
  });
  room.on(RoomEvent.ConnectionQualityChanged, (quality, { identity, isLocal }) => {
    if (!isLocal) faltering(Number(identity), quality === ConnectionQuality.Lost);
  });
  await room.connect(livekit.url, livekit.token);
  for (const track of local.getTracks()) await room.localParticipant.publishTrack(track);
  // Who is there, and what they send, LiveKit tells by itself.
  return { way: 'livekit', people() {}, take() {}, renew() {}, close: () => void room.disconnect() };
}
