vcl 4.1;

backend store {
  .host = "127.0.0.1";
  .port = "${UPSTREAM}";
}
