# Forwards every request to the store, as the server in front of it understood it.
require 'net/http'

# Hop-by-hop headers: RFC 9110 section 7.6.1.
OWN = %w[connection keep-alive te transfer-encoding upgrade content-length].freeze

run(lambda do |env|
  headers = env.select { |name, _| name.start_with?('HTTP_') }
               .to_h { |name, value| [name.delete_prefix('HTTP_').tr('_', '-').downcase, value] }
               .except(*OWN, 'version')
  headers['content-type'] = env['CONTENT_TYPE'] if env['CONTENT_TYPE']
  target = env['PATH_INFO'] + (env['QUERY_STRING'].to_s.empty? ? '' : "?#{env['QUERY_STRING']}")
  request = Net::HTTPGenericRequest.new(env['REQUEST_METHOD'], env['REQUEST_METHOD'] != 'GET', env['REQUEST_METHOD'] != 'HEAD', target)
  request.initialize_http_header(headers)
  request.body = env['rack.input'].read unless env['REQUEST_METHOD'] == 'GET'
  answer = Net::HTTP.start('127.0.0.1', ENV.fetch('UPSTREAM').to_i, read_timeout: 30) { |store| store.request(request) }
  given = answer.to_hash.except(*OWN).transform_values { |values| values.join("\n") }
  [answer.code.to_i, given, [answer.body || '']]
end)
