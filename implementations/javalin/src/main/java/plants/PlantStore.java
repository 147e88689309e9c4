package plants;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.javalin.Javalin;
import io.javalin.http.Context;
import io.javalin.http.HttpResponseException;
import io.javalin.http.UnauthorizedResponse;
import io.javalin.validation.ValidationError;
import io.javalin.validation.ValidationException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

public class PlantStore {

    record NewPlant(Long id, String name, String tag) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Plant(String name, String tag) {}

    record ApiError(int error, String message) {}

    private static final String TOKEN = System.getenv("PLANT_STORE_TOKEN");
    private static final Map<Long, Plant> PLANTS = new ConcurrentHashMap<>();

    static void authorize(Context ctx) {
        if (!("Bearer " + TOKEN).equals(ctx.header("Authorization"))) {
            throw new UnauthorizedResponse();
        }
    }

    static void create(Context ctx) {
        var in = ctx.bodyValidator(NewPlant.class)
                .check("id", plant -> plant.id() != null, "id is required")
                .check("name", plant -> plant.name() != null, "name is required")
                .get();
        var plant = new Plant(in.name(), in.tag());
        PLANTS.put(in.id(), plant);
        ctx.json(plant);
    }

    static String messages(ValidationException e) {
        return e.getErrors().values().stream()
                .flatMap(List::stream)
                .map(ValidationError::getMessage)
                .collect(Collectors.joining(", "));
    }

    public static void main(String[] args) {
        Javalin.create(config -> {
            config.routes.before(PlantStore::authorize);
            config.routes.post("/plants", PlantStore::create);
            config.routes.exception(ValidationException.class, (e, ctx) ->
                    ctx.status(400).json(new ApiError(400, messages(e))));
            config.routes.exception(HttpResponseException.class, (e, ctx) ->
                    ctx.status(e.getStatus()).json(new ApiError(e.getStatus(), e.getMessage())));
        }).start("127.0.0.1", Integer.parseInt(System.getenv("PORT")));
    }
}
