import autocannon from 'autocannon';

// node load.mjs URL CONNECTIONS SECONDS same|fresh: prints the number of answered requests and the time they took.
const [, , url, connections, seconds, ids] = process.argv;
let id = 1;

const result = await autocannon({
  url: `${url}/plants`,
  connections: Number(connections),
  pipelining: 1,
  duration: Number(seconds),
  method: 'POST',
  headers: {
    authorization: `Bearer ${process.env.PLANT_STORE_TOKEN}`,
    'content-type': 'application/json',
  },
  body: JSON.stringify({ id, name: 'Sweet fern', tag: 'shrub' }),
  ...(ids === 'fresh' && {
    requests: [
      {
        setupRequest: (request) => {
          id += 1;
          return { ...request, body: `{"id":${id},"name":"Sweet fern","tag":"shrub"}` };
        },
      },
    ],
  }),
});
process.stdout.write(
  JSON.stringify({ answered: result['2xx'], wrong: result.non2xx + result.errors, seconds: result.duration }),
);
