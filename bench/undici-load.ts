import Client from 'undici/lib/dispatcher/client.js';

/*
 * The HTTP client of the suite by itself, which bounds how fast the suite can be. `node undici-load.js URL
 * CONNECTIONS SECONDS` sends plants with new ids, reads no bodies, and prints the number of answered requests.
 */

const [, , url = '', connections = '1', seconds = '1'] = process.argv;
const headers = {
  authorization: `Bearer ${process.env.PLANT_STORE_TOKEN}`,
  'content-type': 'application/json',
};
const started = performance.now();
const end = started + Number(seconds) * 1000;
let [answered, wrong, id] = [0, 0, 1];

async function sendAll(): Promise<void> {
  const client = new Client(url);
  while (performance.now() < end) {
    id += 1;
    const body = `{"id":${id},"name":"Sweet fern","tag":"shrub"}`;
    const isOk = await new Promise<boolean>((resolve) => {
      let status = 0;
      client.dispatch(
        { method: 'POST', path: '/plants', headers, body },
        {
          onRequestStart: () => {},
          onResponseStart: (_controller, code) => {
            status = code;
          },
          onResponseData: () => {},
          onResponseEnd: () => resolve(status === 200),
          onResponseError: () => resolve(false),
        },
      );
    });
    if (isOk) answered += 1;
    else wrong += 1;
  }
  await client.close();
}

await Promise.all(Array.from({ length: Number(connections) }, sendAll));
process.stdout.write(JSON.stringify({ answered, wrong, seconds: (performance.now() - started) / 1000 }));
