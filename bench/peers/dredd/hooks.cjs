const hooks = require('hooks');

hooks.beforeEach((transaction, done) => {
  if (transaction.expected.statusCode === '400') transaction.request.body = JSON.stringify({ id: 10 });
  done();
});
